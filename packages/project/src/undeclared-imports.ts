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

/** Who uses one of them often uses the others undeclared. */
const families: readonly (readonly string[])[] = [
  ['react', 'react-dom'],
  ['preact'],
  ['three'],
  ['vue'],
  ['yjs'],
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
  for (const family of families) {
    for (const item of findUsers(packages, family)) {
      for (const name of family) wanted.get(item)?.add(name);
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
  family: readonly string[],
): Set<Package> {
  const importers = new Map<SeeingPackage, Package[]>();
  for (const item of packages.values()) {
    for (const other of item.dependencies.values()) {
      if (other !== null) importers.set(other, [...(importers.get(other) ?? []), item]);
    }
  }
  const members = [...packages.values()].filter(({ name }) => family.includes(name));
  const users = new Set<Package>(members.flatMap((member) => importers.get(member) ?? []));
  // A Set goes on with what is added while it is walked.
  for (const user of users) for (const importer of importers.get(user) ?? []) users.add(importer);
  return users;
}
