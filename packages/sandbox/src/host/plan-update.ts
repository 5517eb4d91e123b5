/**
 * Plans an HMR update. From each changed module the search goes up through its importers until it
 * reaches modules that accept the update (HMR boundaries). Modules on the way are loaded again with a new
 * version query. If the search reaches the page itself, the page has to reload.
 */
import { isScriptPath, type HmrInfo } from '@vitrine/compiler';

/** Imports and HMR info of a module or page. */
export interface ModuleInfo {
  /** Ids of the modules that it imports. */
  imports: readonly string[];
  hot: HmrInfo | undefined;
}

/** The running page and its modules by path; undefined for a path that is unknown or missing. */
interface RunningModules {
  page: string;
  find(path: string): ModuleInfo | undefined;
}

export interface UpdatePlan {
  /** Each new module with its HMR boundary: the module itself or an importer. */
  updates: { boundary: string; accepted: string }[];
  /** Ids of all modules that are loaded again. */
  reloaded: string[];
  /** Changed files that the page's imports don't reach, or only by modules that stayed the same: URLs. */
  unreachable: string[];
  /** Stylesheets that are replaced along with the update. */
  styles: string[];
}

interface ModuleChanges {
  /** Changed and removed files. */
  paths: readonly string[];
  /** Changed stylesheets whose JavaScript module, if any, stayed the same. */
  styles: readonly string[];
  /** Modules that accepted an update and then called `import.meta.hot.invalidate()`. */
  invalid: readonly string[];
  /** Whether the module of a file changed; false for a stylesheet whose module stayed the same. */
  isModuleChanged(id: string): boolean;
}

/** Plans the update for a change; undefined if only a reload shows it. */
export function planUpdate(running: RunningModules, change: ModuleChanges): UpdatePlan | undefined {
  const graph = readGraph(running);
  const changed = new Set(change.paths);
  if (!graph || changed.has(running.page)) return undefined;
  const reached = [...graph.importers.keys()].filter((id) => changed.has(filePathOf(id)));
  const walk = createWalk(running, graph);
  const changedModules = reached.filter(change.isModuleChanged);
  const isWhole =
    changedModules.every((id) => walk.from(id)) &&
    change.invalid.every((id) => walk.stamped.has(id) || walk.above(id));
  if (!isWhole || walk.leavesStale()) return undefined;
  const reachedPaths = new Set(changedModules.map(filePathOf));
  return {
    // A boundary that is loaded again itself gets the other new modules through its imports.
    updates: walk.updates.filter(
      ({ boundary, accepted }) => boundary === accepted || !walk.stamped.has(boundary),
    ),
    reloaded: [...walk.stamped],
    unreachable: change.paths.filter(
      (path) => !reachedPaths.has(path) && !change.styles.includes(path),
    ),
    styles: [...change.styles],
  };
}

/** Ids of all modules that the page's imports reach; undefined if one of them is unknown. */
export function findReachableModules(running: RunningModules): ReadonlySet<string> | undefined {
  const graph = readGraph(running);
  return graph && new Set(graph.importers.keys());
}

interface Graph {
  /** Importers of each module that the page's imports reach, by id. */
  importers: ReadonlyMap<string, ReadonlySet<string>>;
}

function readGraph(running: RunningModules): Graph | undefined {
  const importers = new Map<string, Set<string>>();
  const open = [running.page];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const info = infoOf(running, id);
    if (!info) return undefined;
    for (const imported of info.imports) {
      const known = importers.get(imported);
      if (!known) open.push(imported);
      importers.set(imported, (known ?? new Set()).add(id));
    }
  }
  return { importers };
}

const noImports: ModuleInfo = { imports: [], hot: undefined };

/** Imports and HMR info of a module. Generated modules of other files, and missing ones, import nothing. */
function infoOf(running: RunningModules, id: string): ModuleInfo | undefined {
  const isOwn = id === running.page || (!id.includes('?') && isScriptPath(id));
  return isOwn ? running.find(id) : noImports;
}

function createWalk(running: RunningModules, { importers }: Graph) {
  const stamped = new Set<string>();
  const updates: UpdatePlan['updates'] = [];
  const added = new Set<string>();
  const hotOf = (id: string) => infoOf(running, id)?.hot;

  const addUpdate = (boundary: string, accepted: string) => {
    const key = `${boundary}\n${accepted}`;
    if (!added.has(key)) updates.push({ boundary, accepted });
    added.add(key);
    return true;
  };
  const from = (id: string): boolean => {
    if (stamped.has(id)) return true;
    stamped.add(id);
    return hotOf(id)?.isSelfAccepting ? addUpdate(id, id) : above(id);
  };
  const above = (id: string): boolean =>
    [...(importers.get(id) ?? [])].every((importer) => {
      if (importer === running.page) return false;
      return hotOf(importer)?.acceptedDeps.includes(id) ? addUpdate(importer, id) : from(importer);
    });

  /** Whether the new version of `id` reaches a module that keeps the old one, through a circular import. */
  const hasStaleImporter = (id: string): boolean => {
    const below = findBelow(running, id);
    return [...(importers.get(id) ?? [])].some(
      (importer) => !stamped.has(importer) && below.has(importer),
    );
  };

  return {
    stamped,
    updates,
    /** False if the page itself is reached. */
    from,
    above,
    leavesStale: () =>
      updates.some(
        ({ boundary, accepted }) =>
          boundary === accepted &&
          !hotOf(boundary)?.isRefreshBoundary &&
          hasStaleImporter(boundary),
      ),
  };
}

/** Ids of all modules that a module's imports reach. */
function findBelow(running: RunningModules, id: string): ReadonlySet<string> {
  const below = new Set<string>();
  const open = [id];
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const imported of infoOf(running, at)?.imports ?? []) {
      if (below.has(imported)) continue;
      below.add(imported);
      open.push(imported);
    }
  return below;
}

export function filePathOf(id: string): string {
  return id.split('?')[0] ?? '';
}
