/*
 * Package groups that several root packages share. Related libraries have dozens of packages in
 * common (react-markdown and remark-gfm, MUI and Emotion). Each common package would be a root
 * package; together they are one group that the related root packages share. No package of such a
 * group imports all the others, so the first by name is its root.
 */
import {
  privateDependenciesMin,
  findReachable,
  reverseGraph,
  type PackageGroups,
  type PackageGroupMembers,
  type PackageGraph,
} from './package-groups.ts';

/**
 * Smallest number of packages that two root packages must have in common to share a group. The
 * members of a group are part of the URLs of everything that imports it, so each additional root
 * makes these URLs depend on more of the project.
 */
const sharedPackagesMin = 6;

/**
 * Finds the groups that several root packages share, in a graph that already has the groups `kept`.
 *
 * @param named Packages that can't be private dependencies.
 * @param once Singletons: what they import belongs to no shared group.
 */
export function findSharedGroups(
  graph: PackageGraph,
  named: ReadonlySet<string>,
  once: ReadonlySet<string>,
  kept: PackageGroups,
): PackageGroups {
  const grouped = new Set([...kept].flatMap(([root, { companions }]) => [root, ...companions]));
  const reachingRoots = new Map(
    [...findReachingRoots(graph, named)].filter(
      ([item, roots]) => !grouped.has(item) && ![...roots].some((root) => once.has(root)),
    ),
  );
  const groups = new Map<string, PackageGroupMembers>();
  let connected = connectGroups(graph, kept);
  for (const cluster of clusterRoots([...reachingRoots.values()])) {
    const candidates = [...reachingRoots].filter(([, roots]) =>
      [...roots].every((root) => cluster.has(root)),
    );
    const members = removeCyclicMembers(connected, new Set(candidates.map(([item]) => item)));
    const root = chooseRoot(members);
    const companions = [...members].filter((item) => item !== root).toSorted();
    if (root === undefined || companions.length < privateDependenciesMin) continue;
    const sharedBy = new Set(
      candidates.flatMap(([item, roots]) => (members.has(item) ? [...roots] : [])),
    );
    const group = { companions, sharedBy: [...sharedBy].toSorted() };
    groups.set(root, group);
    connected = connectGroups(connected, new Map([[root, group]]));
  }
  return groups;
}

/** First package by name that has modules, which packages of type declarations don't have. */
function chooseRoot(members: Iterable<string>): string | undefined {
  const names = [...members].toSorted();
  return names.find((name) => !name.startsWith('@types/')) ?? names[0];
}

/** Package → the named packages that reach it without passing through another named one. */
function findReachingRoots(
  graph: PackageGraph,
  named: ReadonlySet<string>,
): Map<string, ReadonlySet<string>> {
  const reachingRoots = new Map<string, Set<string>>();
  for (const root of [...named].toSorted()) {
    const region = new Set([root]);
    // Iterating over a Set includes the items that are added meanwhile.
    for (const item of region) {
      for (const next of graph.get(item) ?? []) if (!named.has(next)) region.add(next);
    }
    region.delete(root);
    for (const item of region)
      reachingRoots.set(item, (reachingRoots.get(item) ?? new Set()).add(root));
  }
  return reachingRoots;
}

/** Sets of root packages that have enough packages in common, directly or through each other. */
function clusterRoots(sets: readonly ReadonlySet<string>[]): Set<string>[] {
  const counts = new Map<string, Map<string, number>>();
  for (const roots of sets) {
    for (const root of roots) {
      const others = counts.get(root) ?? new Map<string, number>();
      for (const other of roots)
        if (other !== root) others.set(other, (others.get(other) ?? 0) + 1);
      counts.set(root, others);
    }
  }
  const neighbors = new Map(
    [...counts].map(([root, others]) => [
      root,
      [...others].flatMap(([other, count]) => (count >= sharedPackagesMin ? [other] : [])),
    ]),
  );
  const clusters: Set<string>[] = [];
  for (const [root, others] of neighbors) {
    if (others.length === 0 || clusters.some((cluster) => cluster.has(root))) continue;
    clusters.push(findReachable(neighbors, [root]));
  }
  return clusters;
}

/**
 * Removes members that import a package outside of the group which imports the group again. In one
 * bundle, such an import would be a cycle that no package declares.
 */
function removeCyclicMembers(graph: PackageGraph, members: Set<string>): Set<string> {
  const importers = reverseGraph(graph);
  for (;;) {
    const back = findReachable(importers, members);
    const leaving = [...members].filter((item) =>
      (graph.get(item) ?? []).some((next) => !members.has(next) && back.has(next)),
    );
    if (leaving.length === 0) return members;
    for (const item of leaving) members.delete(item);
  }
}

/**
 * The graph with edges between all members of a group, so that reaching one member means reaching
 * all.
 */
export function connectGroups(graph: PackageGraph, groups: PackageGroups): PackageGraph {
  const connected = new Map(graph);
  for (const [root, { companions }] of groups) {
    connected.set(root, [...(connected.get(root) ?? []), ...companions]);
    for (const item of companions) connected.set(item, [...(connected.get(item) ?? []), root]);
  }
  return connected;
}
