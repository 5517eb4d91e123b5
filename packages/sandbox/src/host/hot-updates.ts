import type { HotMessage } from '../hot-messages.ts';
import type { Effect } from './machine.ts';
import { findReachableModules } from './plan-update.ts';
import type { ModuleStore } from './module-store.ts';
import { inlineNewModules } from './srcdoc-files.ts';

/** Creates the message of an HMR update, before the store records that the page runs its modules. */
export function createHotMessage(
  { plan, page, modules, styles }: Extract<Effect, { type: 'send-update' }>,
  store: ModuleStore,
): HotMessage {
  return {
    type: 'hot',
    version: store.version,
    updates: plan.updates.map((update) => ({
      ...update,
      stamp: store.versionQueries.get(update.accepted) ?? store.version,
    })),
    pruned: findPrunedModules(page, store),
    unlessUsed: plan.unreachable,
    files: modules.length > 0 ? inlineNewModules(store, modules) : [],
    styles,
  };
}

/** Modules that the page's imports no longer reach. */
function findPrunedModules(page: string, store: ModuleStore): string[] {
  const before = findReachableModules({ page, find: (path) => store.runningModule(path) });
  const after = findReachableModules({ page, find: (path) => store.moduleInfo(path) });
  if (!before || !after) return [];
  return [...before].filter((id) => !after.has(id));
}
