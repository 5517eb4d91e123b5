/**
 * How a change reaches the page without loading it anew: from each changed module up through those
 * that import it, to modules that accept. What is on the way gets a new version, and whoever accepts
 * is told. Where nobody does before the page itself is reached, the page has to be loaded anew.
 */
import { isScriptPath, type HotFacts } from '@vitrine/compiler';

/** What is known of a module or page that runs. */
export interface ModuleFacts {
  /** Ids of the modules that it imports. */
  imports: readonly string[];
  hot: HotFacts | undefined;
}

/** The modules of the page that runs, by path; undefined for what is not known or not there. */
export interface RunningModules {
  page: string;
  find(path: string): ModuleFacts | undefined;
}

export interface UpdatePlan {
  /** Each new module, and who accepts it: itself, or one that imports it. */
  updates: { boundary: string; accepted: string }[];
  /** Ids of all that is loaded anew. */
  stamped: string[];
  /** Changed files that no import leads to. */
  unreached: string[];
  /** Stylesheets that are swapped in with it. */
  styles: string[];
}

export interface Change {
  /** Changed and removed files. */
  paths: readonly string[];
  /** Of the changed ones, stylesheets whose module, if there is one, is as it was. */
  styles: readonly string[];
  /** Modules that accepted their own new version, and found that it is not enough. */
  invalid: readonly string[];
  /** Whether the module that stands for a file is another; of a stylesheet's it is not. */
  isOther(id: string): boolean;
}

/** Undefined where only a new document shows the change. */
export function planUpdate(running: RunningModules, change: Change): UpdatePlan | undefined {
  const graph = readGraph(running);
  const changed = new Set(change.paths);
  if (!graph || changed.has(running.page)) return undefined;
  const reached = [...graph.importers.keys()].filter((id) => changed.has(pathOfId(id)));
  const walk = createWalk(running, graph);
  const isWhole =
    reached.filter(change.isOther).every((id) => walk.from(id)) &&
    change.invalid.every((id) => walk.stamped.has(id) || walk.above(id));
  if (!isWhole || walk.leavesStale()) return undefined;
  const reachedPaths = new Set(reached.map(pathOfId));
  return {
    // Who is loaded anew itself gets the other new modules by importing them.
    updates: walk.updates.filter(
      ({ boundary, accepted }) => boundary === accepted || !walk.stamped.has(boundary),
    ),
    stamped: [...walk.stamped],
    unreached: change.paths.filter(
      (path) => !reachedPaths.has(path) && !change.styles.includes(path),
    ),
    styles: [...change.styles],
  };
}

/** Ids of all modules that a page's imports lead to; undefined if one of them is not known. */
export function findReached(running: RunningModules): ReadonlySet<string> | undefined {
  const graph = readGraph(running);
  return graph && new Set(graph.importers.keys());
}

interface Graph {
  /** By id, for all that the page's imports lead to: who imports it. */
  importers: ReadonlyMap<string, ReadonlySet<string>>;
}

function readGraph(running: RunningModules): Graph | undefined {
  const importers = new Map<string, Set<string>>();
  const open = [running.page];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const facts = factsOf(running, id);
    if (!facts) return undefined;
    for (const imported of facts.imports) {
      const known = importers.get(imported);
      if (!known) open.push(imported);
      importers.set(imported, (known ?? new Set()).add(id));
    }
  }
  return { importers };
}

const standsAlone: ModuleFacts = { imports: [], hot: undefined };

/** What is made for a file of another kind imports nothing, and neither does one that is not there. */
function factsOf(running: RunningModules, id: string): ModuleFacts | undefined {
  const isOwn = id === running.page || (!id.includes('?') && isScriptPath(id));
  return isOwn ? running.find(id) : standsAlone;
}

function createWalk(running: RunningModules, { importers }: Graph) {
  const stamped = new Set<string>();
  const updates: UpdatePlan['updates'] = [];
  const told = new Set<string>();
  const hotOf = (id: string) => factsOf(running, id)?.hot;

  const tell = (boundary: string, accepted: string) => {
    const key = `${boundary}\n${accepted}`;
    if (!told.has(key)) updates.push({ boundary, accepted });
    told.add(key);
    return true;
  };
  const from = (id: string): boolean => {
    if (stamped.has(id)) return true;
    stamped.add(id);
    return hotOf(id)?.self ? tell(id, id) : above(id);
  };
  const above = (id: string): boolean =>
    [...(importers.get(id) ?? [])].every((importer) => {
      if (importer === running.page) return false;
      return hotOf(importer)?.deps.includes(id) ? tell(importer, id) : from(importer);
    });

  /** Whether the new version of `id` leads to a module that keeps the old one, in a circle. */
  const hasStaleImporter = (id: string): boolean => {
    const below = findBelow(running, id);
    return [...(importers.get(id) ?? [])].some(
      (importer) => !stamped.has(importer) && below.has(importer),
    );
  };

  return {
    stamped,
    updates,
    /** False where the page itself is reached. */
    from,
    above,
    leavesStale: () =>
      updates.some(
        ({ boundary, accepted }) =>
          boundary === accepted && !hotOf(boundary)?.renews && hasStaleImporter(boundary),
      ),
  };
}

/** All that a module's imports lead to. */
function findBelow(running: RunningModules, id: string): ReadonlySet<string> {
  const below = new Set<string>();
  const open = [id];
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const imported of factsOf(running, at)?.imports ?? []) {
      if (below.has(imported)) continue;
      below.add(imported);
      open.push(imported);
    }
  return below;
}

export function pathOfId(id: string): string {
  return id.split('?')[0] ?? '';
}
