/** The modules of a family as they would be served alone, read from the packages' builds. */
import { parse } from 'es-module-lexer';
import type { ModuleToJoin } from './build/join-modules.ts';
import { builtinsAddress } from './builtins.ts';
import { divideModules, type FamilyModule, type FamilyModules } from './divide-modules.ts';
import { findForeign, moduleAddress, type PlacedFamily, type Placement } from './placement.ts';
import { entryAt, isOfBuild, ownModule, readScript, type Builds } from './read-module.ts';

/** What throws as it is loaded, and packages that nobody declared, which may not be had. */
const mayBeAbsent = /^\/npm\/-\/(?:absent\/[^?]*$|undeclared\/)/;

/** What of a family is to be joined. Builds all that the head's main module loads. */
export async function chooseModules(family: PlacedFamily, builds: Builds): Promise<ModuleToJoin[]> {
  const { base, table } = family.head;
  const modules = await readModules(base, builds);
  const seen = await seenByOthers(modules, { base, table, family }, builds);
  return divideModules(modules, base, seen);
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
      needsAbsent: imports.some((path) => mayBeAbsent.test(path)),
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
