/*
 * Selects which modules of a group that several root packages share are bundled: those that the
 * roots' main modules load. What the main modules load is read without package groups, where nothing
 * depends on how a group is bundled. The URL of each member is then replaced by its URL in the group.
 */
import { isInsidePackage, parsePackageUrl } from '../package-url.ts';
import type { ModuleToBundle } from '../build/bundle-modules.ts';
import { assignSharedGroupChunks, type GroupModules, type RootLoads } from './group-chunks.ts';
import { readModules } from './loaded-modules.ts';
import { getTargetBase, formatTarget, type ServedGroup } from '../served-package.ts';
import type { BuildContext } from '../read-module.ts';

/**
 * Selects the modules to bundle, and builds everything that the main modules load. `roots` are
 * ungrouped targets.
 */
export async function selectSharedModules(
  group: ServedGroup,
  roots: readonly string[],
  builds: BuildContext,
): Promise<ModuleToBundle[]> {
  const found = await Promise.all(
    roots.map(async (root) => [root, await findLoads(root, group, roots, builds)] as const),
  );
  const { base } = group.root;
  const isInGroup = (url: string) => isInsidePackage(base, url);
  const starts = found.flatMap(([, loads]) => loads.starts);
  const modules = await readModules(starts, { records: isInGroup, follows: isInGroup }, builds);
  return assignSharedGroupChunks(modules, new Map(found));
}

/**
 * Reads what a root's main module loads, up to modules of the group or of another root that shares
 * it.
 */
async function findLoads(
  root: string,
  group: ServedGroup,
  roots: readonly string[],
  builds: BuildContext,
): Promise<RootLoads> {
  const others = new Set(roots.filter((other) => other !== root));
  const reads = (url: string) => {
    const target = findTarget(url);
    return target !== undefined && !others.has(target) && findGroupUrl(url, group) === undefined;
  };
  const start = `/npm/${root}`;
  const keeps = (url: string) => findTarget(url) !== undefined;
  const externalUrls = listExternalUrls(
    await readModules([start], { records: keeps, follows: reads }, builds),
    start,
  );
  return {
    starts: externalUrls.flatMap((url) => findGroupUrl(url, group) ?? []),
    roots: [...others].filter((other) => externalUrls.some((url) => findTarget(url) === other)),
  };
}

/** URLs outside of the modules that were read, in the order in which a browser would load them. */
function listExternalUrls(modules: GroupModules, start: string): string[] {
  const seen = new Set<string>();
  const visit = (url: string) => {
    if (seen.has(url)) return;
    seen.add(url);
    for (const next of modules.get(url)?.imports ?? []) visit(next);
  };
  visit(start);
  return [...seen].filter((url) => !modules.has(url));
}

/**
 * `/npm/b@2~…/x?names=y` → `/npm/ROOT/-in/b@2~…/x?names=y`; undefined for packages outside of the
 * group.
 */
function findGroupUrl(url: string, group: ServedGroup): string | undefined {
  const ungrouped = findTarget(url);
  const base = ungrouped && getTargetBase(group, ungrouped);
  if (base === undefined || !isInsidePackage(group.root.base, base)) return undefined;
  return base + url.slice(`/npm/${ungrouped}`.length);
}

/** `/npm/b@2~…/x?names=y` → `b@2~…` */
function findTarget(url: string): string | undefined {
  const parsed = parsePackageUrl(new URL(url, 'http://packages').pathname);
  return parsed?.kind === 'exact' ? formatTarget(parsed) : undefined;
}
