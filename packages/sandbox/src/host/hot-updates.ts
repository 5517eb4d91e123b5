/**
 * HMR updates of the running page, for both transports. The page's module graph is known from the files
 * that it was loaded from; a document for which that isn't known is reloaded instead.
 */
import { isStylePath } from '@vitrine/compiler';
import type { HotMessage } from '../hot-messages.ts';
import { findReached, planUpdate, type UpdatePlan } from './plan-update.ts';
import type { Difference, Sources } from './sources.ts';

export interface HotUpdates {
  /** A document of this path has loaded; the module store knows which modules it runs. */
  begin(page: string): void;
  /** The page's modules are unknown from now on. */
  forget(): void;
  /** Handles `import.meta.hot.invalidate()`. False if the module was already invalidated since the last edit. */
  invalidate(id: string): boolean;
  readonly hasInvalid: boolean;
  /** Plans the update for a change; undefined if the page has to reload. */
  plan(difference: Difference): UpdatePlan | undefined;
  /** Gives these modules a new version query, and the module store a new version. */
  stamp(ids: readonly string[]): void;
  /** Creates the message for a plan and records that the page runs everything committed. */
  send(plan: UpdatePlan, texts: Pick<HotMessage, 'files' | 'styles'>): HotMessage;
  /** Records the outcome of the last message; `isWhole` if no module threw. */
  end(isWhole: boolean): void;
}

export function createHotUpdates(sources: Sources): HotUpdates {
  let page: string | undefined;
  const invalid = new Set<string>();
  /** Modules invalidated since the last edit. A second time would be an endless loop. */
  const invalidatedBefore = new Set<string>();
  let sent: UpdatePlan | undefined;
  /** A module threw while it was replaced, so the page's state is unknown. Cleared by the next document. */
  let isBroken = false;

  return {
    begin(shown) {
      page = shown;
      invalid.clear();
      invalidatedBefore.clear();
      isBroken = false;
    },
    forget() {
      page = undefined;
      invalid.clear();
    },
    invalidate(id) {
      if (invalidatedBefore.has(id)) return false;
      invalidatedBefore.add(id);
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
      if (plan.stamped.length > 0 && invalid.size === 0) invalidatedBefore.clear();
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

/** Modules that the page's imports no longer reach. */
function findPruned(page: string, sources: Sources): string[] {
  const before = findReached({ page, find: (path) => sources.running(path) });
  const after = findReached({ page, find: (path) => sources.facts(path) });
  if (!before || !after) return [];
  return [...before].filter((id) => !after.has(id));
}
