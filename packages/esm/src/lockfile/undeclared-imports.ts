/*
 * Packages import more than they declare, which works where an installer hoists everything into one
 * folder. This file lists the known cases as narrowly as possible: everything that a package can
 * import is part of its URL, and a package that could import the whole project would have a different
 * URL in each project.
 */

import { singletons } from './singletons.ts';

interface ImportingPackage {
  readonly name: string;
  readonly dependencies: Map<string, ImportingPackage | null>;
}

/** Known single cases: package → what it imports without declaring it. */
const knownCases: ReadonlyMap<string, readonly string[]> = new Map([
  ['@firebase/database', ['@firebase/app']],
  ['@primevue/core', ['@primeuix/styles']],
]);

/**
 * Adds to each package what it probably imports without declaring it: the singletons that its
 * declared dependencies reach, those that its name tells, and its known single cases.
 *
 * @param packages Packages by their paths in the node_modules tree. Their `dependencies` are
 * changed.
 * @param direct Direct dependencies of the project. One that declares nothing at all (quasar) bundles
 * its dependencies except for React, Vue, …, so it can import every singleton that the project
 * depends on.
 * @param lookUp Resolves a name at a path of the tree.
 */
export function addUndeclaredImports<Package extends ImportingPackage>(
  packages: ReadonlyMap<string, Package>,
  direct: ReadonlyMap<string, Package | null>,
  lookUp: (path: string, name: string) => Package | null,
): void {
  const undeclared = new Map<Package, Set<string>>();
  for (const item of packages.values()) undeclared.set(item, new Set(knownCases.get(item.name)));
  const all = [...packages.values()];
  const named = [...direct.values()].filter((item) => item !== null);
  const withoutDependencies = named.filter(({ dependencies }) => dependencies.size === 0);
  for (const { packages: used, importedParts = [], importers } of singletons) {
    const reached = findReached(all.filter(({ name }) => used.includes(name)));
    const byName = all.filter(({ name }) => importers?.test(name));
    const silent = named.some(({ name }) => used.includes(name))
      ? [...withoutDependencies, ...byName].filter((item) => !reached.has(item))
      : [];
    for (const item of [...findUsers(packages, used), ...silent]) {
      for (const name of [...used, ...importedParts]) undeclared.get(item)?.add(name);
    }
  }
  for (const [path, item] of packages) {
    for (const name of undeclared.get(item) ?? []) {
      const resolved = item.dependencies.has(name) ? null : lookUp(path, name);
      if (resolved !== null && resolved !== item) item.dependencies.set(name, resolved);
    }
  }
}

/**
 * The start packages and everything that they reach, which would be importing itself if it could
 * import them.
 */
function findReached(starts: readonly ImportingPackage[]): Set<ImportingPackage> {
  const reached = new Set(starts);
  // Iterating over a Set includes the items that are added meanwhile.
  for (const item of reached) {
    for (const next of item.dependencies.values()) if (next !== null) reached.add(next);
  }
  return reached;
}

/** Packages that reach one of the `used` packages, directly or not. */
function findUsers<Package extends ImportingPackage>(
  packages: ReadonlyMap<string, Package>,
  used: readonly string[],
): Set<Package> {
  const importers = new Map<ImportingPackage, Package[]>();
  for (const item of packages.values()) {
    for (const other of item.dependencies.values()) {
      if (other !== null) importers.set(other, [...(importers.get(other) ?? []), item]);
    }
  }
  const members = [...packages.values()].filter(({ name }) => used.includes(name));
  const users = new Set<Package>(members.flatMap((member) => importers.get(member) ?? []));
  // Iterating over a Set includes the items that are added meanwhile.
  for (const user of users) for (const importer of importers.get(user) ?? []) users.add(importer);
  return users;
}
