/*
 * Packages that several heads lead to. A library spread over packages shares dozens of them with its
 * next of kin (react-markdown with remark-gfm, MUI with Emotion): each is a head of its own, and
 * together they are a family that these heads share. It has no package that all of it comes with, so
 * the first by name is its head.
 */
import {
  companionsMin,
  reachableFrom,
  reverse,
  type Families,
  type FamilyMembers,
  type PackageGraph,
} from './companions.ts';

/**
 * Heads that share fewer packages are kept apart: who is in a family is a part of the addresses of
 * all who use it, so each head more makes these depend on more of the project.
 */
const sharedMin = 6;

/**
 * The families that heads share, for a graph in which `kept` are families already. `named` are the
 * packages that a family cannot hold; what those in `once` lead to belongs to none.
 */
export function findSharedFamilies(
  graph: PackageGraph,
  named: ReadonlySet<string>,
  once: ReadonlySet<string>,
  kept: Families,
): Families {
  const taken = new Set([...kept].flatMap(([head, { companions }]) => [head, ...companions]));
  const reachers = new Map(
    [...findReachers(graph, named)].filter(
      ([item, heads]) => !taken.has(item) && ![...heads].some((head) => once.has(head)),
    ),
  );
  const families = new Map<string, FamilyMembers>();
  let bound = bindFamilies(graph, kept);
  for (const circle of uniteHeads([...reachers.values()])) {
    const candidates = [...reachers].filter(([, heads]) =>
      [...heads].every((head) => circle.has(head)),
    );
    const members = withoutWaysBack(bound, new Set(candidates.map(([item]) => item)));
    const head = chooseHead(members);
    const companions = [...members].filter((item) => item !== head).toSorted();
    if (head === undefined || companions.length < companionsMin) continue;
    const sharedBy = new Set(
      candidates.flatMap(([item, heads]) => (members.has(item) ? [...heads] : [])),
    );
    const family = { companions, sharedBy: [...sharedBy].toSorted() };
    families.set(head, family);
    bound = bindFamilies(bound, new Map([[head, family]]));
  }
  return families;
}

/** One that has modules, which a package of declarations has not. */
function chooseHead(members: Iterable<string>): string | undefined {
  const names = [...members].toSorted();
  return names.find((name) => !name.startsWith('@types/')) ?? names[0];
}

/** Package → the named ones that lead to it without another in between, for all but these. */
function findReachers(
  graph: PackageGraph,
  named: ReadonlySet<string>,
): Map<string, ReadonlySet<string>> {
  const reachers = new Map<string, Set<string>>();
  for (const head of [...named].toSorted()) {
    const region = new Set([head]);
    // A Set goes on with what is added while it is walked.
    for (const item of region) {
      for (const next of graph.get(item) ?? []) if (!named.has(next)) region.add(next);
    }
    region.delete(head);
    for (const item of region) reachers.set(item, (reachers.get(item) ?? new Set()).add(head));
  }
  return reachers;
}

/** Heads that share enough packages, by way of others too. */
function uniteHeads(sets: readonly ReadonlySet<string>[]): Set<string>[] {
  const counts = new Map<string, Map<string, number>>();
  for (const heads of sets) {
    for (const head of heads) {
      const others = counts.get(head) ?? new Map<string, number>();
      for (const other of heads)
        if (other !== head) others.set(other, (others.get(other) ?? 0) + 1);
      counts.set(head, others);
    }
  }
  const bonds = new Map(
    [...counts].map(([head, others]) => [
      head,
      [...others].flatMap(([other, count]) => (count >= sharedMin ? [other] : [])),
    ]),
  );
  const circles: Set<string>[] = [];
  for (const [head, others] of bonds) {
    if (others.length === 0 || circles.some((circle) => circle.has(head))) continue;
    circles.push(reachableFrom(bonds, [head]));
  }
  return circles;
}

/**
 * The members without those that import something outside which leads back to one: joined, such a
 * way would be a circle that nobody wrote.
 */
function withoutWaysBack(graph: PackageGraph, members: Set<string>): Set<string> {
  const importers = reverse(graph);
  for (;;) {
    const back = reachableFrom(importers, members);
    const leaving = [...members].filter((item) =>
      (graph.get(item) ?? []).some((next) => !members.has(next) && back.has(next)),
    );
    if (leaving.length === 0) return members;
    for (const item of leaving) members.delete(item);
  }
}

/** The graph in which whoever leads to one of a family leads to all of it. */
export function bindFamilies(graph: PackageGraph, families: Families): PackageGraph {
  const bound = new Map(graph);
  for (const [head, { companions }] of families) {
    bound.set(head, [...(bound.get(head) ?? []), ...companions]);
    for (const item of companions) bound.set(item, [...(bound.get(item) ?? []), head]);
  }
  return bound;
}
