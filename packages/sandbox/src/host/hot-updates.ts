/**
 * HMR updates of the running page, for both transports. The page's module graph is known from the files
 * that it was loaded from; a document for which that isn't known is reloaded instead.
 */
import { isStylePath } from '@vitrine/compiler';
import type { HotMessage } from '../hot-messages.ts';
import { findReachableModules, planUpdate, type UpdatePlan } from './plan-update.ts';
import type { FileDifference, ModuleStore } from './module-store.ts';

export interface HotUpdates {
  /** A document of this path has loaded; the module store knows which modules it runs. */
  setPage(page: string): void;
  /** The page's modules are unknown from now on. */
  reset(): void;
  /** Handles `import.meta.hot.invalidate()`. False if the module was already invalidated since the last edit. */
  invalidate(id: string): boolean;
  readonly hasInvalidated: boolean;
  /** Plans the update for a change; undefined if the page has to reload. */
  plan(difference: FileDifference): UpdatePlan | undefined;
  /** Gives these modules a new version query, and the module store a new version. */
  assignVersions(ids: readonly string[]): void;
  /** Creates the message for a plan and records that the page runs everything committed. */
  createMessage(plan: UpdatePlan, texts: Pick<HotMessage, 'files' | 'styles'>): HotMessage;
  /** Records the outcome of the last message; `isWhole` if no module threw. */
  complete(isWhole: boolean): void;
}

export function createHotUpdates(moduleStore: ModuleStore): HotUpdates {
  let page: string | undefined;
  const invalid = new Set<string>();
  /** Modules invalidated since the last edit. A second time would be an endless loop. */
  const invalidatedBefore = new Set<string>();
  let sent: UpdatePlan | undefined;
  /** A module threw while it was replaced, so the page's state is unknown. Cleared by the next document. */
  let isBroken = false;

  return {
    setPage(shown) {
      page = shown;
      invalid.clear();
      invalidatedBefore.clear();
      isBroken = false;
    },
    reset() {
      page = undefined;
      invalid.clear();
    },
    invalidate(id) {
      if (invalidatedBefore.has(id)) return false;
      invalidatedBefore.add(id);
      invalid.add(id);
      return true;
    },
    get hasInvalidated() {
      return invalid.size > 0;
    },
    plan({ changed, removed, changedModules }) {
      if (page === undefined || isBroken) return undefined;
      const styles = changed.filter((path) => isStylePath(path) && !changedModules.includes(path));
      return planUpdate(
        { page, find: (path) => moduleStore.runningModule(path) },
        {
          paths: [...changed, ...removed],
          styles,
          invalid: [...invalid],
          isModuleChanged: (id) => moduleStore.isModuleChanged(id),
        },
      );
    },
    assignVersions(ids) {
      const versionQueries = new Map(moduleStore.versionQueries);
      for (const id of ids) versionQueries.set(id, moduleStore.version + 1);
      moduleStore.setVersionQueries(versionQueries);
    },
    createMessage(plan, texts) {
      const pruned = findPrunedModules(page ?? '', moduleStore);
      const { updates, unreachable } = plan;
      if (plan.reloaded.length > 0 && invalid.size === 0) invalidatedBefore.clear();
      invalid.clear();
      moduleStore.markRunning();
      sent = plan;
      return {
        type: 'hot',
        version: moduleStore.version,
        updates: updates.map((update) => ({
          ...update,
          stamp: moduleStore.versionQueries.get(update.accepted) ?? moduleStore.version,
        })),
        pruned,
        unlessUsed: unreachable,
        ...texts,
      };
    },
    complete(isWhole) {
      const keepsRunning = (boundary: string) =>
        moduleStore.moduleInfo(boundary)?.hot?.isRefreshBoundary === true;
      if (!isWhole && !sent?.updates.every(({ boundary }) => keepsRunning(boundary)))
        isBroken = true;
      sent = undefined;
    },
  };
}

/** Modules that the page's imports no longer reach. */
function findPrunedModules(page: string, moduleStore: ModuleStore): string[] {
  const before = findReachableModules({ page, find: (path) => moduleStore.runningModule(path) });
  const after = findReachableModules({ page, find: (path) => moduleStore.moduleInfo(path) });
  if (!before || !after) return [];
  return [...before].filter((id) => !after.has(id));
}
