/*
 * Assigns the modules of a package group to chunk files. The modules that the root's main module
 * loads are bundled, exactly as they would be served on their own. They go into three files, so that
 * a page loads little more than it needs:
 *
 *   1.js  modules that other entries of the root load too
 *   2.js  those of them that need Node's built-in modules
 *   3.js  modules that only the main module loads
 *
 * Each file contains everything that its modules import from the group (except for what is in an
 * earlier file), so no two files import each other. Its modules are in the order in which a browser
 * would load them separately, and run in the same order.
 *
 * In a group that several root packages share, a file contains the modules that the same set of main
 * modules loads, so none of them loads more than it would without bundling.
 */
import type { ModuleToBundle } from '../build/bundle-modules.ts';
import type { ModuleText } from '../read-module.ts';

/** A module of a package group, with its imports. */
export interface GroupModule extends ModuleText {
  /** Modules of the group that it imports, in order. */
  readonly imports: readonly string[];
  /** Whether it imports a missing package. */
  readonly needsMissing: boolean;
  /** Whether it imports a built-in module of Node. */
  readonly needsNode: boolean;
}

/** Module URL → module. */
export type GroupModules = ReadonlyMap<string, GroupModule>;

/**
 * Lists the modules to bundle, in order, with their chunk files.
 *
 * @param start URL of the root's main module.
 * @param seen URLs of modules that other entries of the root import.
 */
export function assignGroupChunks(
  modules: GroupModules,
  start: string,
  seen: ReadonlySet<string>,
): ModuleToBundle[] {
  const sharedModules = findLoaded(modules, seen);
  // A module that can't be built now may be buildable later, and could then import a bundled
  // module.
  const unbuilt = findImporters(modules, ({ imports }) =>
    imports.some((next) => !modules.has(next)),
  );
  const failing = findImporters(modules, ({ needsMissing }) => needsMissing);
  const forNode = findImporters(modules, ({ needsNode }) => needsNode);
  const bundled = listInLoadOrder(modules, [start]).flatMap((url): ModuleToBundle[] => {
    const module = modules.get(url);
    const isShared = sharedModules.has(url);
    if (module === undefined || unbuilt.has(url)) return [];
    // A module that loads a part of a shared file loads all of it, so nothing in it may throw.
    if (isShared && failing.has(url)) return [];
    const { text, map } = module;
    const file = !isShared ? '3.js' : forNode.has(url) ? '2.js' : '1.js';
    return [{ url, text, ...(map !== undefined && { map }), file }];
  });
  return removeSingleModuleFiles(bundled);
}

/** What a root package loads of a group that it shares. */
export interface RootLoads {
  /**
   * URLs of the group's modules that it imports, in order, directly or through packages in between.
   */
  readonly starts: readonly string[];
  /** Other root packages of the group that it imports. */
  readonly roots: readonly string[];
}

/**
 * Lists the modules of a shared group to bundle, in order. `loads` maps root packages to what they
 * load.
 */
export function assignSharedGroupChunks(
  modules: GroupModules,
  loads: ReadonlyMap<string, RootLoads>,
): ModuleToBundle[] {
  const unbuilt = findImporters(modules, ({ imports }) =>
    imports.some((next) => !modules.has(next)),
  );
  const failing = findImporters(modules, ({ needsMissing }) => needsMissing);
  const loaders = findLoaders(modules, loads);
  /** Root packages that load a module, joined → chunk file. */
  const files = new Map<string, string>();
  const starts = [...loads.values()].flatMap((item) => item.starts);
  const bundled = listInLoadOrder(modules, starts).flatMap((url): ModuleToBundle[] => {
    const module = modules.get(url);
    if (module === undefined || unbuilt.has(url) || failing.has(url)) return [];
    const roots = loaders.get(url)?.join(' ') ?? '';
    const file = files.get(roots) ?? `${files.size + 1}.js`;
    files.set(roots, file);
    const { text, map } = module;
    return [{ url, text, ...(map !== undefined && { map }), file }];
  });
  return removeSingleModuleFiles(bundled);
}

/** Module → root packages that load it, in their order, directly or through each other. */
function findLoaders(
  modules: GroupModules,
  loads: ReadonlyMap<string, RootLoads>,
): Map<string, string[]> {
  const loaders = new Map<string, string[]>();
  for (const root of loads.keys()) {
    const reached = new Set([root]);
    // Iterating over a Set includes the items that are added meanwhile.
    for (const each of reached) for (const next of loads.get(each)?.roots ?? []) reached.add(next);
    const starts = [...reached].flatMap((each) => loads.get(each)?.starts ?? []);
    for (const url of findLoaded(modules, starts)) {
      loaders.set(url, [...(loaders.get(url) ?? []), root]);
    }
  }
  return loaders;
}

/**
 * Modules in depth-first order, each before the modules that it imports. Bundled in this order,
 * they run in the same order as separate modules.
 */
function listInLoadOrder(modules: GroupModules, starts: readonly string[]): string[] {
  const seen = new Set<string>();
  const visit = (url: string) => {
    if (seen.has(url) || !modules.has(url)) return;
    seen.add(url);
    for (const next of modules.get(url)?.imports ?? []) visit(next);
  };
  starts.forEach(visit);
  return [...seen];
}

/** The start modules and everything that they import from the group. */
function findLoaded(modules: GroupModules, starts: Iterable<string>): Set<string> {
  const reached = new Set(starts);
  // Iterating over a Set includes the items that are added meanwhile.
  for (const url of reached) {
    for (const next of modules.get(url)?.imports ?? []) reached.add(next);
  }
  return reached;
}

/** Modules that match the predicate, and the modules that load one of them. */
function findImporters(
  modules: GroupModules,
  matches: (module: GroupModule) => boolean,
): Set<string> {
  const importers = new Map<string, string[]>();
  for (const [url, { imports }] of modules) {
    for (const next of imports) importers.set(next, [...(importers.get(next) ?? []), url]);
  }
  const found = new Set([...modules].filter(([, module]) => matches(module)).map(([at]) => at));
  for (const url of found) for (const next of importers.get(url) ?? []) found.add(next);
  return found;
}

/** Removes modules that would be alone in their file, because such a file saves no request. */
function removeSingleModuleFiles(bundled: readonly ModuleToBundle[]): ModuleToBundle[] {
  const counts = new Map<string, number>();
  for (const { file } of bundled) counts.set(file, (counts.get(file) ?? 0) + 1);
  return bundled.filter(({ file }) => (counts.get(file) ?? 0) > 1);
}
