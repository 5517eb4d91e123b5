/**
 * Which new modules a page that runs is given, on either path. The page's modules are known from the
 * files that it was made of; a document of which that is not so gets none, and is loaded anew.
 */
import { isStylePath } from '@vitrine/compiler';
import type { HotMessage } from '../hot-messages.ts';
import { findReached, planUpdate, type UpdatePlan } from './plan-update.ts';
import type { Difference, Sources } from './sources.ts';

export interface HotUpdates {
  /** A document of this path has begun; the sources know what it runs. */
  begin(page: string): void;
  /** What the page runs is not known. */
  forget(): void;
  /** A module of the page says that its new version is not enough; false if it said so before. */
  invalidate(id: string): boolean;
  readonly hasInvalid: boolean;
  /** What to do for a difference; undefined where the page has to be loaded anew. */
  plan(difference: Difference): UpdatePlan | undefined;
  /** Gives modules a new version of the sources, which they are stamped with. */
  stamp(ids: readonly string[]): void;
  /** The message for a plan that has been stamped; the page runs what is accepted, from then on. */
  send(plan: UpdatePlan, texts: Pick<HotMessage, 'files' | 'styles'>): HotMessage;
  /** What became of the message. */
  end(isWhole: boolean): void;
}

export function createHotUpdates(sources: Sources): HotUpdates {
  let page: string | undefined;
  const invalid = new Set<string>();
  /** Ids that were invalid since the last edit: once more, and they would go round in a circle. */
  const refused = new Set<string>();
  let sent: UpdatePlan | undefined;
  /** A module failed half-way, and nobody knows what of it is there. */
  let isBroken = false;

  return {
    begin(shown) {
      page = shown;
      invalid.clear();
      refused.clear();
      isBroken = false;
    },
    forget() {
      page = undefined;
      invalid.clear();
    },
    invalidate(id) {
      if (refused.has(id)) return false;
      refused.add(id);
      invalid.add(id);
      return true;
    },
    get hasInvalid() {
      return invalid.size > 0;
    },
    plan({ changed, removed, remade }) {
      if (page === undefined || isBroken) return undefined;
      const styles = changed.filter((path) => isStylePath(path) && !remade.includes(path));
      return planUpdate(
        { page, find: (path) => sources.running(path) },
        {
          paths: [...changed, ...removed],
          styles,
          invalid: [...invalid],
          isOther: (id) => sources.isOther(id),
        },
      );
    },
    stamp(ids) {
      const stamps = new Map(sources.stamps);
      for (const id of ids) stamps.set(id, sources.version + 1);
      sources.setStamps(stamps);
    },
    send(plan, texts) {
      const pruned = findPruned(page ?? '', sources);
      const { updates, unreached } = plan;
      if (plan.stamped.length > 0 && invalid.size === 0) refused.clear();
      invalid.clear();
      sources.settle();
      sent = plan;
      return {
        type: 'hot',
        version: sources.version,
        updates: updates.map((update) => ({
          ...update,
          stamp: sources.stamps.get(update.accepted) ?? sources.version,
        })),
        pruned,
        unlessUsed: unreached,
        ...texts,
      };
    },
    end(isWhole) {
      const keepsRunning = (boundary: string) => sources.facts(boundary)?.hot?.renews === true;
      if (!isWhole && !sent?.updates.every(({ boundary }) => keepsRunning(boundary)))
        isBroken = true;
      sent = undefined;
    },
  };
}

/** Modules that the page's imports led to, and do no more. */
function findPruned(page: string, sources: Sources): string[] {
  const before = findReached({ page, find: (path) => sources.running(path) });
  const after = findReached({ page, find: (path) => sources.facts(path) });
  if (!before || !after) return [];
  return [...before].filter((id) => !after.has(id));
}
