/*
 * Packages import more than they declare, and get away with it where an installer hoists everything
 * into one folder. What is known of that is written down here, as narrowly as it helps: whatever a
 * package may see is part of its address, and a package that saw the whole project would have
 * another address in each.
 */

interface SeeingPackage {
  readonly name: string;
  readonly dependencies: Map<string, SeeingPackage | null>;
}

interface Family {
  readonly used: readonly string[];
  /** What who uses one of these often imports undeclared. */
  readonly seen: readonly string[];
}

const families: readonly Family[] = [
  { used: ['react', 'react-dom'], seen: ['react', 'react-dom'] },
  { used: ['preact'], seen: ['preact'] },
  { used: ['three'], seen: ['three'] },
  { used: ['vue'], seen: ['vue', '@vue/reactivity', '@vue/shared'] },
  { used: ['yjs'], seen: ['yjs'] },
];

/** Seen in the wild, one by one: package → what it imports undeclared. */
const single: ReadonlyMap<string, readonly string[]> = new Map([
  ['@firebase/database', ['@firebase/app']],
]);

/**
 * Adds to each package what it likely imports undeclared: the family of every React, Vue, … that
 * its declared packages lead to, and what is known of it alone. `lookUp` finds what a name means
 * at a place of the tree.
 */
export function addUndeclaredImports<Package extends SeeingPackage>(
  packages: ReadonlyMap<string, Package>,
  lookUp: (place: string, name: string) => Package | null,
): void {
  const wanted = new Map<Package, Set<string>>();
  for (const item of packages.values()) wanted.set(item, new Set(single.get(item.name)));
  for (const { used, seen } of families) {
    for (const item of findUsers(packages, used)) {
      for (const name of seen) wanted.get(item)?.add(name);
    }
  }
  for (const [place, item] of packages) {
    for (const name of wanted.get(item) ?? []) {
      const meant = item.dependencies.has(name) ? null : lookUp(place, name);
      if (meant !== null && meant !== item) item.dependencies.set(name, meant);
    }
  }
}

/** The packages from which one of these can be reached, against the direction of imports. */
function findUsers<Package extends SeeingPackage>(
  packages: ReadonlyMap<string, Package>,
  used: readonly string[],
): Set<Package> {
  const importers = new Map<SeeingPackage, Package[]>();
  for (const item of packages.values()) {
    for (const other of item.dependencies.values()) {
      if (other !== null) importers.set(other, [...(importers.get(other) ?? []), item]);
    }
  }
  const members = [...packages.values()].filter(({ name }) => used.includes(name));
  const users = new Set<Package>(members.flatMap((member) => importers.get(member) ?? []));
  // A Set goes on with what is added while it is walked.
  for (const user of users) for (const importer of importers.get(user) ?? []) users.add(importer);
  return users;
}
