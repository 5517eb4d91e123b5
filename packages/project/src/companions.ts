/*
 * Which packages of a lock belong to which. Many libraries are spread over dozens of packages that
 * nobody else uses: such a package is a companion, and the one it comes with is its head. A head and
 * its companions are served as one (see "Head and companions" in docs/packages.md), so a package that
 * two share must be a head itself: the whole point of a lock is that both get the same one.
 *
 * Packages stand here as their targets (`NAME@VERSION~LINK`): places that mean the same are one.
 */

/** What each package imports: target → targets. */
export type PackageGraph = ReadonlyMap<string, readonly string[]>;

/**
 * Fewer companions cost few requests, and a package without a family keeps an address that depends
 * on nothing but what it reaches, the same in every project.
 */
export const companionsMin = 12;

export interface FamilyMembers {
  /** Sorted. */
  readonly companions: readonly string[];
  /** The heads that lead to this family, sorted; absent where its own head is the only one. */
  readonly sharedBy?: readonly string[];
}

/** Head → its family, of every package that has enough companions. */
export type Families = ReadonlyMap<string, FamilyMembers>;

/**
 * The families of a lock. `named` are the packages that something outside can ask for: those of the
 * project, peers, and those that must be there once. Of the last, `once`, none gets a family:
 * whatever is built upon them should have one address in all projects.
 */
export function findFamilies(
  graph: PackageGraph,
  named: ReadonlySet<string>,
  once: ReadonlySet<string>,
): Families {
  const owned = new Map<string, string[]>();
  for (const [item, head] of findOwners(graph, new Set([...named, ...once]))) {
    if (item !== head) owned.set(head, [...(owned.get(head) ?? []), item]);
  }
  const families = new Map<string, FamilyMembers>();
  for (const [head, companions] of owned) {
    const isKept =
      companions.length >= companionsMin &&
      !once.has(head) &&
      !leadsBack(graph, head, new Set([head, ...companions]));
    if (isKept) families.set(head, { companions: companions.toSorted() });
  }
  return families;
}

/**
 * Package → the head it belongs to (a head: itself), for all that the named ones reach. Heads are
 * these, and whatever two heads reach without passing through a third.
 */
export function findOwners(graph: PackageGraph, named: ReadonlySet<string>): Map<string, string> {
  const heads = new Set(named);
  for (;;) {
    const { owners, contested } = walkFromHeads(graph, heads);
    if (contested.size === 0) return owners;
    for (const item of contested) heads.add(item);
  }
}

function walkFromHeads(graph: PackageGraph, heads: ReadonlySet<string>) {
  const owners = new Map([...heads].map((head) => [head, head]));
  const contested = new Set<string>();
  for (const head of heads) {
    const queue = [head];
    for (const item of queue) {
      for (const next of graph.get(item) ?? []) {
        const owner = owners.get(next);
        if (owner === undefined) {
          owners.set(next, head);
          queue.push(next);
        } else if (owner !== head && !heads.has(next)) {
          contested.add(next);
        }
      }
    }
  }
  return { owners, contested };
}

/**
 * Whether a family imports something outside that imports it again. Joined, such a circle would run
 * in another order than its modules ask for.
 */
function leadsBack(graph: PackageGraph, head: string, family: ReadonlySet<string>): boolean {
  const outside = [...family].flatMap((item) => graph.get(item) ?? []);
  return reachableFrom(
    graph,
    outside.filter((item) => !family.has(item)),
  ).has(head);
}

/** These and all that they lead to. */
export function reachableFrom(graph: PackageGraph, starts: Iterable<string>): Set<string> {
  const reached = new Set(starts);
  // A Set goes on with what is added while it is walked.
  for (const item of reached) for (const next of graph.get(item) ?? []) reached.add(next);
  return reached;
}

/** Who imports each package. */
export function reverse(graph: PackageGraph): PackageGraph {
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
