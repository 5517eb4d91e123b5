/*
 * What of a family is joined: the modules that its head's main module loads, as they would be served
 * alone. They go into three files, so that nobody loads much more than he asked for: what another
 * entry of the head loads too, of that what is made for Node, and what the main module alone loads.
 * Each holds all that its modules import of the family (but for what is in a file before), so no file
 * waits for one that waits for it; and its modules stand in the order in which a browser would come
 * to them, from which it runs them as alone.
 */
import { parse } from 'es-module-lexer';
import type { ModuleToJoin } from './build/join-modules.ts';
import { builtinsAddress } from './builtins.ts';
import { findForeign, moduleAddress, type PlacedFamily, type Placement } from './placement.ts';
import {
  entryAt,
  isOfBuild,
  ownModule,
  readScript,
  type Builds,
  type Script,
} from './read-module.ts';

interface FamilyModule extends Script {
  /** What it imports of the family, in order. */
  readonly imports: readonly string[];
  /** It imports a package that is absent; a built-in module of Node. */
  readonly needsAbsent: boolean;
  readonly needsNode: boolean;
}

type FamilyModules = ReadonlyMap<string, FamilyModule>;

/** The modules to be joined, in the order in which the head's main module comes to them. */
export async function chooseModules(
  { head, ...family }: PlacedFamily,
  builds: Builds,
): Promise<ModuleToJoin[]> {
  const modules = await readModules(head.base, builds);
  const placement = { base: head.base, table: head.table, family: { ...family, head } };
  const elsewhere = closureOf(modules, await seenByOthers(modules, placement, builds));
  const failing = importersOf(modules, ({ needsAbsent }) => needsAbsent);
  const forNode = importersOf(modules, ({ needsNode }) => needsNode);
  const chosen = listInOrder(modules, head.base).flatMap((address): ModuleToJoin[] => {
    const module = modules.get(address);
    const isShared = elsewhere.has(address);
    // Whoever loads a part of a shared file loads it whole, so nothing in it may fail.
    if (module === undefined || (isShared && failing.has(address))) return [];
    const { text, map } = module;
    const file = !isShared ? '3.js' : forNode.has(address) ? '2.js' : '1.js';
    return [{ address, text, ...(map !== undefined && { map }), file }];
  });
  return withoutLoneFiles(chosen);
}

/** All that a main module loads of its family. What cannot be built is left to be asked for. */
async function readModules(base: string, builds: Builds): Promise<FamilyModules> {
  const found = new Map<string, Promise<FamilyModule | undefined>>();
  const visit = (address: string): Promise<unknown> => {
    const known = found.get(address);
    if (known !== undefined) return Promise.resolve();
    const reading = readFamilyModule(address, base, builds);
    found.set(address, reading);
    return reading.then((module) => Promise.all((module?.imports ?? []).map(visit)));
  };
  await visit(base);
  const modules = new Map<string, FamilyModule>();
  for (const [address, reading] of found) {
    const module = await reading;
    if (module !== undefined) modules.set(address, module);
  }
  return modules;
}

async function readFamilyModule(
  address: string,
  base: string,
  builds: Builds,
): Promise<FamilyModule | undefined> {
  try {
    const script = await readScript(address, builds);
    const imports = listImports(script.text);
    return {
      ...script,
      imports: imports.filter((path) => isInside(base, path)),
      needsAbsent: imports.some((path) => /^\/npm\/-\/absent\/[^?]*$/.test(path)),
      needsNode: imports.some((path) => path.startsWith(`${builtinsAddress}/`)),
    };
  } catch (error) {
    if (!isOfBuild(error)) throw error;
    return undefined;
  }
}

/** What a script imports as it is loaded, each once, in order. */
function listImports(text: string): string[] {
  const found = parse(text)[0].flatMap((item) =>
    item.type === 'static' || item.type === 'reexport-star' ? [item.specifier] : [],
  );
  return [...new Set(found)];
}

function isInside(base: string, address: string): boolean {
  return address === base || address.startsWith(`${base}/`) || address.startsWith(`${base}?`);
}

/** Depth first, each before what it imports: joined so, they run as they would alone. */
function listInOrder(modules: FamilyModules, start: string): string[] {
  const seen = new Set<string>();
  const visit = (address: string) => {
    if (seen.has(address) || !modules.has(address)) return;
    seen.add(address);
    for (const next of modules.get(address)?.imports ?? []) visit(next);
  };
  visit(start);
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

/**
 * The modules that other entries of the head load too, as far as that shows without building more
 * packages than the main module needs.
 */
async function seenByOthers(
  modules: FamilyModules,
  head: Placement,
  builds: Builds,
): Promise<Set<string>> {
  const built = await builds.obtainer.build(head.table);
  const seen = new Set<string>();
  const byPath = groupByPath(modules.keys());
  const see = (path: string) => {
    for (const address of byPath.get(path) ?? []) seen.add(address);
  };
  const main = entryAt(built, '.')?.file;
  for (const [path, entry] of Object.entries(built.manifest.entries)) {
    if (entry.file === main) continue;
    see(moduleAddress(head, path));
    for (const chunk of entry.chunks) see(`${head.base}/-chunk/${chunk}`);
    for (const file of [entry.file, ...entry.chunks]) {
      for (const { specifier, how } of ownModule(built, file)?.placeholders ?? []) {
        if (specifier === undefined || how === 'dynamic') continue;
        for (const address of await listAddresses(specifier, head, builds)) see(address);
      }
    }
  }
  return seen;
}

/** Where an import may lead: the module itself, and the files that hold its code. */
async function listAddresses(specifier: string, from: Placement, builds: Builds) {
  const foreign = await findForeign(specifier, from, builds);
  if (foreign === undefined || !isInside(from.base, foreign.placement.base)) return [];
  const { placement, path } = foreign;
  const built = await builds.obtainer.findBuilt(placement.table);
  const chunks = (built && entryAt(built, path)?.chunks) ?? [];
  return [
    moduleAddress(placement, path),
    ...chunks.map((file) => `${placement.base}/-chunk/${file}`),
  ];
}

/** Path → the addresses with it: one module is asked for with `?names=` and without. */
function groupByPath(addresses: Iterable<string>): Map<string, string[]> {
  const byPath = new Map<string, string[]>();
  for (const address of addresses) {
    const path = decodeURI(address.replace(/\?.*$/, ''));
    byPath.set(path, [...(byPath.get(path) ?? []), address]);
  }
  return byPath;
}

/** A file of one module saves no request. */
function withoutLoneFiles(chosen: readonly ModuleToJoin[]): ModuleToJoin[] {
  const counts = new Map<string, number>();
  for (const { file } of chosen) counts.set(file, (counts.get(file) ?? 0) + 1);
  return chosen.filter(({ file }) => (counts.get(file) ?? 0) > 1);
}
