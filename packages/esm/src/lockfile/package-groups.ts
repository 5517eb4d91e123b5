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
  readonly privateDependencies: readonly string[];
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
 * @param publicPackages Packages that something outside of a group can import: direct dependencies of
 * the project, peer dependencies and singletons. Each of them is a root package.
 * @param singletons React, Vue, …. They never get a group, so that everything that depends on them
 * has the same URL in all projects.
 */
export function findPackageGroups(
  graph: PackageGraph,
  publicPackages: ReadonlySet<string>,
  singletons: ReadonlySet<string>,
): PackageGroups {
  const dependenciesByRoot = new Map<string, string[]>();
  const rootByPackage = findRootPackages(graph, new Set([...publicPackages, ...singletons]));
  for (const [target, root] of rootByPackage) {
    if (target !== root)
      dependenciesByRoot.set(root, [...(dependenciesByRoot.get(root) ?? []), target]);
  }
  const groups = new Map<string, PackageGroupMembers>();
  for (const [root, dependencies] of dependenciesByRoot) {
    const isGroup =
      dependencies.length >= privateDependenciesMin &&
      !singletons.has(root) &&
      !importsItself(graph, root, new Set([root, ...dependencies]));
    if (isGroup) groups.set(root, { privateDependencies: dependencies.toSorted() });
  }
  return groups;
}

/**
 * Maps every package that the public ones reach to its root package; a root maps to itself. Root
 * packages are the public ones, and every package that two root packages reach without passing
 * through a third.
 */
export function findRootPackages(
  graph: PackageGraph,
  publicPackages: ReadonlySet<string>,
): Map<string, string> {
  const roots = new Set(publicPackages);
  for (;;) {
    const { rootByPackage, shared } = walkFromRoots(graph, roots);
    if (shared.size === 0) return rootByPackage;
    for (const target of shared) roots.add(target);
  }
}

function walkFromRoots(graph: PackageGraph, roots: ReadonlySet<string>) {
  const rootByPackage = new Map([...roots].map((root) => [root, root]));
  const shared = new Set<string>();
  for (const root of roots) {
    const queue = [root];
    for (const target of queue) {
      for (const imported of graph.get(target) ?? []) {
        const otherRoot = rootByPackage.get(imported);
        if (otherRoot === undefined) {
          rootByPackage.set(imported, root);
          queue.push(imported);
        } else if (otherRoot !== root && !roots.has(imported)) {
          shared.add(imported);
        }
      }
    }
  }
  return { rootByPackage, shared };
}

/**
 * Whether a group imports a package outside of it that imports the group again. Bundled as one,
 * such a cycle would run in a different order from the one that its modules specify.
 */
function importsItself(graph: PackageGraph, root: string, group: ReadonlySet<string>): boolean {
  const imports = [...group].flatMap((target) => graph.get(target) ?? []);
  return findReachable(
    graph,
    imports.filter((target) => !group.has(target)),
  ).has(root);
}

/** Returns the start packages and everything that they import, directly or not. */
export function findReachable(graph: PackageGraph, starts: Iterable<string>): Set<string> {
  const reached = new Set(starts);
  // Iterating over a Set includes the items that are added meanwhile.
  for (const target of reached)
    for (const imported of graph.get(target) ?? []) reached.add(imported);
  return reached;
}

/** Returns the graph with its edges reversed: target → targets that import it. */
export function reverseGraph(graph: PackageGraph): PackageGraph {
  const importers = new Map<string, string[]>();
  for (const [target, imports] of graph) {
    for (const imported of imports) {
      const targets = importers.get(imported);
      if (targets === undefined) importers.set(imported, [target]);
      else targets.push(target);
    }
  }
  return importers;
}
