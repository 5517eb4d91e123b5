/*
 * Which packages of a lockfile are private to which root package. Many libraries are published as
 * dozens of packages that nobody else imports. Such a package is a private dependency, and the
 * package that imports it is its root package. Both together are a package group, which is served as
 * one (see docs/packages.md). A package that two root packages share must be a root package itself,
 * because all packages of a lockfile have to get the same copy of it.
 *
 * Packages are identified by their targets (`NAME@VERSION~HASH`): two places of the lockfile that
 * resolve to the same files are one package here.
 */

/** Import graph of packages: target → targets that it imports. */
export type PackageGraph = ReadonlyMap<string, readonly string[]>;

/**
 * Smallest number of private dependencies that makes a group. Fewer cost few requests, and the URL
 * of a package without a group depends only on what it imports, so it is the same in every project.
 */
export const privateDependenciesMin = 12;

/** Members of a package group, except for its root. */
export interface PackageGroupMembers {
  /** Sorted. */
  readonly companions: readonly string[];
  /**
   * Root packages that import this group, sorted. Absent when the group's own root is the only one.
   */
  readonly sharedBy?: readonly string[];
}

/** Root package → its group, for every root package with enough private dependencies. */
export type PackageGroups = ReadonlyMap<string, PackageGroupMembers>;

/**
 * Finds the package groups of a lockfile.
 *
 * @param named Packages that something outside of a group can import: direct dependencies of the
 * project, peer dependencies and singletons. Each of them is a root package.
 * @param once Singletons (React, Vue, …). They never get a group, so that everything that depends
 * on
 * them has the same URL in all projects.
 */
export function findPackageGroups(
  graph: PackageGraph,
  named: ReadonlySet<string>,
  once: ReadonlySet<string>,
): PackageGroups {
  const dependenciesByRoot = new Map<string, string[]>();
  for (const [item, root] of findRootPackages(graph, new Set([...named, ...once]))) {
    if (item !== root)
      dependenciesByRoot.set(root, [...(dependenciesByRoot.get(root) ?? []), item]);
  }
  const groups = new Map<string, PackageGroupMembers>();
  for (const [root, companions] of dependenciesByRoot) {
    const isGroup =
      companions.length >= privateDependenciesMin &&
      !once.has(root) &&
      !importsItself(graph, root, new Set([root, ...companions]));
    if (isGroup) groups.set(root, { companions: companions.toSorted() });
  }
  return groups;
}

/**
 * Maps every package that the named ones reach to its root package; a root maps to itself. Root
 * packages are the named ones, and every package that two root packages reach without passing
 * through a third.
 */
export function findRootPackages(
  graph: PackageGraph,
  named: ReadonlySet<string>,
): Map<string, string> {
  const roots = new Set(named);
  for (;;) {
    const { owners, shared } = walkFromRoots(graph, roots);
    if (shared.size === 0) return owners;
    for (const item of shared) roots.add(item);
  }
}

function walkFromRoots(graph: PackageGraph, roots: ReadonlySet<string>) {
  const owners = new Map([...roots].map((root) => [root, root]));
  const shared = new Set<string>();
  for (const root of roots) {
    const queue = [root];
    for (const item of queue) {
      for (const next of graph.get(item) ?? []) {
        const owner = owners.get(next);
        if (owner === undefined) {
          owners.set(next, root);
          queue.push(next);
        } else if (owner !== root && !roots.has(next)) {
          shared.add(next);
        }
      }
    }
  }
  return { owners, shared };
}

/**
 * Whether a group imports a package outside of it that imports the group again. Bundled as one,
 * such a cycle would run in a different order from the one that its modules specify.
 */
function importsItself(graph: PackageGraph, root: string, group: ReadonlySet<string>): boolean {
  const outside = [...group].flatMap((item) => graph.get(item) ?? []);
  return findReachable(
    graph,
    outside.filter((item) => !group.has(item)),
  ).has(root);
}

/** Returns the start packages and everything that they import, directly or not. */
export function findReachable(graph: PackageGraph, starts: Iterable<string>): Set<string> {
  const reached = new Set(starts);
  // Iterating over a Set includes the items that are added meanwhile.
  for (const item of reached) for (const next of graph.get(item) ?? []) reached.add(next);
  return reached;
}

/** Returns the graph with its edges reversed: target → targets that import it. */
export function reverseGraph(graph: PackageGraph): PackageGraph {
  const importers = new Map<string, string[]>();
  for (const [item, imports] of graph) {
    for (const next of imports) {
      const known = importers.get(next);
      if (known === undefined) importers.set(next, [item]);
      else known.push(item);
    }
  }
  return importers;
}
