/** Which modules of a family are to be joined, as they would be served alone. */
import { isInside } from './address.ts';
import type { ModuleToJoin } from './build/join-modules.ts';
import { divideModules, type FamilyModules } from './divide-modules.ts';
import { readModules } from './loaded-modules.ts';
import { findForeign, moduleAddress, type PlacedFamily, type Placement } from './placement.ts';
import { entryAt, ownModule, type Builds } from './read-module.ts';
import { chooseShared } from './shared-modules.ts';

/** Builds all that the main modules of a family's heads load. */
export async function chooseModules(family: PlacedFamily, builds: Builds): Promise<ModuleToJoin[]> {
  const { base, table } = family.head;
  if (family.sharedBy) return chooseShared(family, family.sharedBy, builds);
  const isOfFamily = (address: string) => isInside(base, address);
  const modules = await readModules([base], { keeps: isOfFamily, reads: isOfFamily }, builds);
  const seen = await seenByOthers(modules, { base, table, family }, builds);
  return divideModules(modules, base, seen);
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
