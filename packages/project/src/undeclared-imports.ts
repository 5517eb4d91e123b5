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
  { used: ['jquery'], seen: ['jquery'] },
  { used: ['leaflet'], seen: ['leaflet'] },
  { used: ['preact'], seen: ['preact'] },
  { used: ['solid-js'], seen: ['solid-js'] },
  { used: ['svelte'], seen: ['svelte'] },
  { used: ['three'], seen: ['three'] },
  { used: ['vue'], seen: ['vue', '@vue/reactivity', '@vue/shared'] },
  { used: ['yjs'], seen: ['yjs'] },
  { used: ['lit'], seen: ['lit'] },
];

/** Whether there should be one of this package, so that none but the project's own will do. */
export function isSeenInFamilies(name: string): boolean {
  return families.some(({ seen }) => seen.includes(name));
}

/** Seen in the wild, one by one: package → what it imports undeclared. */
const single: ReadonlyMap<string, readonly string[]> = new Map([
  ['@firebase/database', ['@firebase/app']],
  ['@primevue/core', ['@primeuix/styles']],
]);

/**
 * Adds to each package what it likely imports undeclared: the family of every React, Vue, … that
 * its declared packages lead to, and what is known of it alone. `direct` are those that the project
 * names: one of them that declares nothing at all (quasar) holds all it needs but what it takes of
 * the project, so it sees each React, Vue, … that the project names too. `lookUp` finds what a name
 * means at a place of the tree.
 */
export function addUndeclaredImports<Package extends SeeingPackage>(
  packages: ReadonlyMap<string, Package>,
  direct: ReadonlyMap<string, Package | null>,
  lookUp: (place: string, name: string) => Package | null,
): void {
  const wanted = new Map<Package, Set<string>>();
  for (const item of packages.values()) wanted.set(item, new Set(single.get(item.name)));
  const named = [...direct.values()].filter((item) => item !== null);
  const alone = named.filter(({ dependencies }) => dependencies.size === 0);
  for (const { used, seen } of families) {
    const members = named.filter(({ name }) => used.includes(name));
    const reached = reachedBy(members);
    const beside = members.length === 0 ? [] : alone.filter((item) => !reached.has(item));
    for (const item of [...findUsers(packages, used), ...beside]) {
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

/** These and all that they lead to: what would import itself if it saw them. */
function reachedBy(starts: readonly SeeingPackage[]): Set<SeeingPackage> {
  const reached = new Set(starts);
  // A Set goes on with what is added while it is walked.
  for (const item of reached) {
    for (const next of item.dependencies.values()) if (next !== null) reached.add(next);
  }
  return reached;
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
