/*
 * What of a family is joined: the modules that its head's main module loads, as they would be served
 * alone. They go into three files, so that nobody loads much more than he asked for: what another
 * entry of the head loads too, of that what is made for Node, and what the main module alone loads.
 * Each holds all that its modules import of the family (but for what is in a file before), so no file
 * waits for one that waits for it; and its modules stand in the order in which a browser would come
 * to them, from which it runs them as alone.
 *
 * Of a family that heads share, a file holds what the same of their main modules load, so none of
 * these loads more than it would alone.
 */
import type { ModuleToJoin } from './build/join-modules.ts';
import type { Script } from './read-module.ts';

export interface FamilyModule extends Script {
  /** What it imports of the family, in order. */
  readonly imports: readonly string[];
  /** It imports a package that is absent; a built-in module of Node. */
  readonly needsAbsent: boolean;
  readonly needsNode: boolean;
}

export type FamilyModules = ReadonlyMap<string, FamilyModule>;

/**
 * The modules to be joined, in order. `start` is the head's main module, `seen` are those that other
 * entries of the head import.
 */
export function divideModules(
  modules: FamilyModules,
  start: string,
  seen: ReadonlySet<string>,
): ModuleToJoin[] {
  const elsewhere = closureOf(modules, seen);
  // What could not be built now may be another time, and then lead back to what is joined.
  const open = importersOf(modules, ({ imports }) => imports.some((next) => !modules.has(next)));
  const failing = importersOf(modules, ({ needsAbsent }) => needsAbsent);
  const forNode = importersOf(modules, ({ needsNode }) => needsNode);
  const chosen = listInOrder(modules, [start]).flatMap((address): ModuleToJoin[] => {
    const module = modules.get(address);
    const isShared = elsewhere.has(address);
    if (module === undefined || open.has(address)) return [];
    // Whoever loads a part of a shared file loads it whole, so nothing in it may fail.
    if (isShared && failing.has(address)) return [];
    const { text, map } = module;
    const file = !isShared ? '3.js' : forNode.has(address) ? '2.js' : '1.js';
    return [{ address, text, ...(map !== undefined && { map }), file }];
  });
  return withoutLoneFiles(chosen);
}

/** What a head loads of a family that it shares. */
export interface HeadLoads {
  /** Modules of the family that it imports, in order, be it by way of packages in between. */
  readonly starts: readonly string[];
  /** Others of the heads that it imports. */
  readonly heads: readonly string[];
}

/** The modules to be joined of a family that heads share, in order; `loads` are those of its heads. */
export function divideShared(
  modules: FamilyModules,
  loads: ReadonlyMap<string, HeadLoads>,
): ModuleToJoin[] {
  const open = importersOf(modules, ({ imports }) => imports.some((next) => !modules.has(next)));
  const failing = importersOf(modules, ({ needsAbsent }) => needsAbsent);
  const loaders = listLoaders(modules, loads);
  /** Who loads it → file. */
  const files = new Map<string, string>();
  const starts = [...loads.values()].flatMap((item) => item.starts);
  const chosen = listInOrder(modules, starts).flatMap((address): ModuleToJoin[] => {
    const module = modules.get(address);
    if (module === undefined || open.has(address) || failing.has(address)) return [];
    const heads = loaders.get(address)?.join(' ') ?? '';
    const file = files.get(heads) ?? `${files.size + 1}.js`;
    files.set(heads, file);
    const { text, map } = module;
    return [{ address, text, ...(map !== undefined && { map }), file }];
  });
  return withoutLoneFiles(chosen);
}

/** Module → the heads that load it, in their order, by way of one another too. */
function listLoaders(
  modules: FamilyModules,
  loads: ReadonlyMap<string, HeadLoads>,
): Map<string, string[]> {
  const loaders = new Map<string, string[]>();
  for (const head of loads.keys()) {
    const reached = new Set([head]);
    // A Set goes on with what is added while it is walked.
    for (const each of reached) for (const next of loads.get(each)?.heads ?? []) reached.add(next);
    const starts = [...reached].flatMap((each) => loads.get(each)?.starts ?? []);
    for (const address of closureOf(modules, starts)) {
      loaders.set(address, [...(loaders.get(address) ?? []), head]);
    }
  }
  return loaders;
}

/** Depth first, each before what it imports: joined so, they run as they would alone. */
function listInOrder(modules: FamilyModules, starts: readonly string[]): string[] {
  const seen = new Set<string>();
  const visit = (address: string) => {
    if (seen.has(address) || !modules.has(address)) return;
    seen.add(address);
    for (const next of modules.get(address)?.imports ?? []) visit(next);
  };
  starts.forEach(visit);
  return [...seen];
}

/** These and all that they import of the family. */
function closureOf(modules: FamilyModules, starts: Iterable<string>): Set<string> {
  const reached = new Set(starts);
  // A Set goes on with what is added while it is walked.
  for (const address of reached) {
    for (const next of modules.get(address)?.imports ?? []) reached.add(next);
  }
  return reached;
}

/** Modules of which this is true, and those that load such. */
function importersOf(modules: FamilyModules, is: (module: FamilyModule) => boolean): Set<string> {
  const importers = new Map<string, string[]>();
  for (const [address, { imports }] of modules) {
    for (const next of imports) importers.set(next, [...(importers.get(next) ?? []), address]);
  }
  const found = new Set([...modules].filter(([, module]) => is(module)).map(([at]) => at));
  for (const address of found) for (const next of importers.get(address) ?? []) found.add(next);
  return found;
}

/** A file of one module saves no request. */
function withoutLoneFiles(chosen: readonly ModuleToJoin[]): ModuleToJoin[] {
  const counts = new Map<string, number>();
  for (const { file } of chosen) counts.set(file, (counts.get(file) ?? 0) + 1);
  return chosen.filter(({ file }) => (counts.get(file) ?? 0) > 1);
}
