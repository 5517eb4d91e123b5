/**
 * Selects the modules of a package group that are bundled, with the text that they would be served
 * with on their own.
 */
import { isInside } from './address.ts';
import type { ModuleToJoin } from './build/join-modules.ts';
import { divideModules, type FamilyModules } from './divide-modules.ts';
import { readModules } from './loaded-modules.ts';
import { findForeign, moduleAddress, type PlacedFamily, type Placement } from './placement.ts';
import { entryAt, ownModule, type Builds } from './read-module.ts';
import { chooseShared } from './shared-modules.ts';

/**
 * Builds everything that the main modules of a group's root packages load, and returns the modules
 * to bundle.
 */
export async function chooseModules(group: PlacedFamily, builds: Builds): Promise<ModuleToJoin[]> {
  const { base, table } = group.head;
  if (group.sharedBy) return chooseShared(group, group.sharedBy, builds);
  const isOfFamily = (address: string) => isInside(base, address);
  const modules = await readModules([base], { keeps: isOfFamily, reads: isOfFamily }, builds);
  const seen = await findModulesOfOtherEntries(modules, { base, table, family: group }, builds);
  return divideModules(modules, base, seen);
}

/**
 * URLs of the group's modules that other entries of the root load too, as far as that is known
 * without building more packages than the main module needs.
 */
async function findModulesOfOtherEntries(
  modules: FamilyModules,
  root: Placement,
  builds: Builds,
): Promise<Set<string>> {
  const built = await builds.obtainer.build(root.table);
  const seen = new Set<string>();
  const byPath = groupByPath(modules.keys());
  const markSeen = (path: string) => {
    for (const address of byPath.get(path) ?? []) seen.add(address);
  };
  const main = entryAt(built, '.')?.file;
  for (const [path, entry] of Object.entries(built.manifest.entries)) {
    if (entry.file === main) continue;
    markSeen(moduleAddress(root, path));
    for (const chunk of entry.chunks) markSeen(`${root.base}/-chunk/${chunk}`);
    for (const file of [entry.file, ...entry.chunks]) {
      for (const { specifier, how } of ownModule(built, file)?.placeholders ?? []) {
        if (specifier === undefined || how === 'dynamic') continue;
        for (const address of await listUrls(specifier, root, builds)) markSeen(address);
      }
    }
  }
  return seen;
}

/** URLs that an import may resolve to: the module itself, and the chunks with its code. */
async function listUrls(specifier: string, from: Placement, builds: Builds) {
  const external = await findForeign(specifier, from, builds);
  if (external === undefined || !isInside(from.base, external.placement.base)) return [];
  const { placement, path } = external;
  const built = await builds.obtainer.findBuilt(placement.table);
  const chunks = (built && entryAt(built, path)?.chunks) ?? [];
  return [
    moduleAddress(placement, path),
    ...chunks.map((file) => `${placement.base}/-chunk/${file}`),
  ];
}

/** Path → URLs with this path. A module may be requested with and without `?names=`. */
function groupByPath(addresses: Iterable<string>): Map<string, string[]> {
  const byPath = new Map<string, string[]>();
  for (const address of addresses) {
    const path = decodeURI(address.replace(/\?.*$/, ''));
    byPath.set(path, [...(byPath.get(path) ?? []), address]);
  }
  return byPath;
}
