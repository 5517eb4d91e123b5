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
 * Finds the groups that several root packages share.
 *
 * @param publicPackages Packages that can't be private dependencies.
 * @param singletons What they import belongs to no shared group.
 * @param singleRootGroups Groups with one root, whose members are not grouped again.
 */
export function findSharedGroups(
  graph: PackageGraph,
  publicPackages: ReadonlySet<string>,
  singletons: ReadonlySet<string>,
  singleRootGroups: PackageGroups,
): PackageGroups {
  const grouped = new Set(
    [...singleRootGroups].flatMap(([root, group]) => [root, ...group.privateDependencies]),
  );
  const reachingRoots = new Map(
    [...findReachingRoots(graph, publicPackages)].filter(
      ([target, roots]) => !grouped.has(target) && ![...roots].some((root) => singletons.has(root)),
    ),
  );
  const groups = new Map<string, PackageGroupMembers>();
  let connected = connectGroups(graph, singleRootGroups);
  for (const cluster of clusterRoots([...reachingRoots.values()])) {
    const candidates = [...reachingRoots].filter(([, roots]) =>
      [...roots].every((root) => cluster.has(root)),
    );
    const members = removeCyclicMembers(connected, new Set(candidates.map(([target]) => target)));
    const root = chooseRoot(members);
    const privateDependencies = [...members].filter((target) => target !== root).toSorted();
    if (root === undefined || privateDependencies.length < privateDependenciesMin) continue;
    const sharedBy = new Set(
      candidates.flatMap(([target, roots]) => (members.has(target) ? [...roots] : [])),
    );
    const group = { privateDependencies, sharedBy: [...sharedBy].toSorted() };
    groups.set(root, group);
    connected = connectGroups(connected, new Map([[root, group]]));
  }
  return groups;
}

/** First package by name that has modules, which packages of type declarations don't have. */
function chooseRoot(members: Iterable<string>): string | undefined {
  const targets = [...members].toSorted();
  return targets.find((target) => !target.startsWith('@types/')) ?? targets[0];
}

/** Package → the public packages that reach it without passing through another public one. */
function findReachingRoots(
  graph: PackageGraph,
  publicPackages: ReadonlySet<string>,
): Map<string, ReadonlySet<string>> {
  const reachingRoots = new Map<string, Set<string>>();
  for (const root of [...publicPackages].toSorted()) {
    const reached = new Set([root]);
    // Iterating over a Set includes the items that are added meanwhile.
    for (const target of reached) {
      for (const imported of graph.get(target) ?? [])
        if (!publicPackages.has(imported)) reached.add(imported);
    }
    reached.delete(root);
    for (const target of reached)
      reachingRoots.set(target, (reachingRoots.get(target) ?? new Set()).add(root));
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
    const importing = findReachable(importers, members);
    const cyclic = [...members].filter((member) =>
      (graph.get(member) ?? []).some(
        (imported) => !members.has(imported) && importing.has(imported),
      ),
    );
    if (cyclic.length === 0) return members;
    for (const member of cyclic) members.delete(member);
  }
}

/**
 * The graph with edges between all members of a group, so that reaching one member means reaching
 * all.
 */
export function connectGroups(graph: PackageGraph, groups: PackageGroups): PackageGraph {
  const connected = new Map(graph);
  for (const [root, { privateDependencies }] of groups) {
    connected.set(root, [...(connected.get(root) ?? []), ...privateDependencies]);
    for (const target of privateDependencies)
      connected.set(target, [...(connected.get(target) ?? []), root]);
  }
  return connected;
}
