/**
 * Selects the modules of a package group that are bundled, with the text that they would be served
 * with on their own.
 */
import { isInsidePackage } from '../package-url.ts';
import type { ModuleToBundle } from '../build/bundle-modules.ts';
import { assignGroupChunks, type GroupModules } from './group-chunks.ts';
import { readModules } from './loaded-modules.ts';
import {
  resolveExternal,
  getModuleUrl,
  type ServedGroup,
  type ServedPackage,
} from '../served-package.ts';
import { findBuiltEntry, findBuiltModule, type BuildContext } from '../read-module.ts';
import { selectSharedModules } from './shared-group-modules.ts';

/**
 * Builds everything that the main modules of a group's root packages load, and returns the modules
 * to bundle.
 */
export async function selectGroupModules(
  group: ServedGroup,
  builds: BuildContext,
): Promise<ModuleToBundle[]> {
  const { base, resolution } = group.root;
  if (group.sharedBy) return selectSharedModules(group, group.sharedBy, builds);
  const isInGroup = (url: string) => isInsidePackage(base, url);
  const modules = await readModules([base], { records: isInGroup, follows: isInGroup }, builds);
  const seen = await findModulesOfOtherEntries(modules, { base, resolution, group }, builds);
  return assignGroupChunks(modules, base, seen);
}

/**
 * URLs of the group's modules that other entries of the root load too, as far as that is known
 * without building more packages than the main module needs.
 */
async function findModulesOfOtherEntries(
  modules: GroupModules,
  root: ServedPackage,
  builds: BuildContext,
): Promise<Set<string>> {
  const built = await builds.packageBuilder.build(root.resolution);
  const seen = new Set<string>();
  const byPath = groupByPath(modules.keys());
  const markSeen = (path: string) => {
    for (const url of byPath.get(path) ?? []) seen.add(url);
  };
  const main = findBuiltEntry(built, '.')?.file;
  for (const [path, entry] of Object.entries(built.manifest.entries)) {
    if (entry.file === main) continue;
    markSeen(getModuleUrl(root, path));
    for (const chunk of entry.chunks) markSeen(`${root.base}/-chunk/${chunk}`);
    for (const file of [entry.file, ...entry.chunks]) {
      for (const { specifier, how } of findBuiltModule(built, file)?.placeholders ?? []) {
        if (specifier === undefined || how === 'dynamic') continue;
        for (const url of await listUrls(specifier, root, builds)) markSeen(url);
      }
    }
  }
  return seen;
}

/** URLs that an import may resolve to: the module itself, and the chunks with its code. */
async function listUrls(specifier: string, from: ServedPackage, builds: BuildContext) {
  const external = await resolveExternal(specifier, from, builds);
  if (external === undefined || !isInsidePackage(from.base, external.served.base)) return [];
  const { served: placement, path } = external;
  const built = await builds.packageBuilder.findBuilt(placement.resolution);
  const chunks = (built && findBuiltEntry(built, path)?.chunks) ?? [];
  return [
    getModuleUrl(placement, path),
    ...chunks.map((file) => `${placement.base}/-chunk/${file}`),
  ];
}

/** Path → URLs with this path. A module may be requested with and without `?names=`. */
function groupByPath(urls: Iterable<string>): Map<string, string[]> {
  const byPath = new Map<string, string[]>();
  for (const url of urls) {
    const path = decodeURI(url.replace(/\?.*$/, ''));
    byPath.set(path, [...(byPath.get(path) ?? []), url]);
  }
  return byPath;
}
