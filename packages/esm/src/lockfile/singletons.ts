/*
 * Singletons: libraries of which a page needs one copy, because their packages compare or share
 * objects. Two copies of React don't share hooks, and two copies of three don't accept each other's
 * vectors. For each of them:
 *
 * - Packages that depend on it may import it without declaring it, and only the project's own
 *   version will do (`undeclared-imports.ts`).
 * - Unless versions of it can be mixed, packages that require several versions all get the version
 *   that the project itself imports (`singleton-packages.ts`), and it gets no package group, so that
 *   everything that depends on it has the same URL in all projects (`resolution-hash.ts`).
 */

/** A library of which a page needs one copy. */
interface Singleton {
  /** Packages that a project lists, the main one first. */
  readonly packages: readonly string[];
  /** Packages that belong to exactly the version of the main one, which depends on them. */
  readonly parts?: readonly string[];
  /** Parts that dependents import as well. */
  readonly importedParts?: readonly string[];
  /** Names of packages that import it, which many of them don't declare. */
  readonly importers?: RegExp;
  /**
   * Whether a page may have several versions, each used by the packages that require it: their
   * objects never meet.
   */
  readonly allowsVersions?: true;
}

export const singletons: readonly Singleton[] = [
  { packages: ['react', 'react-dom'] },
  { packages: ['jquery'], allowsVersions: true },
  { packages: ['leaflet'], allowsVersions: true },
  { packages: ['preact'] },
  { packages: ['solid-js'], allowsVersions: true },
  { packages: ['svelte'], allowsVersions: true, importers: /svelte/ },
  { packages: ['three'] },
  {
    packages: ['vue'],
    parts: ['@vue/reactivity', '@vue/runtime-core', '@vue/runtime-dom', '@vue/shared'],
    importedParts: ['@vue/reactivity', '@vue/shared'],
  },
  { packages: ['yjs'] },
  { packages: ['lit'], allowsVersions: true },
];

const oneVersion = singletons.filter(({ allowsVersions }) => allowsVersions !== true);

/** Packages that a page must have in one version, without parts. */
export const oneVersionPackages: ReadonlySet<string> = new Set(
  oneVersion.flatMap(({ packages }) => packages),
);

/** Part of a singleton → the package whose version it must have. */
export const mainPackageByPart: ReadonlyMap<string, string> = new Map(
  oneVersion.flatMap(({ packages: [main = ''], parts = [] }) =>
    parts.map((part) => [part, main] as const),
  ),
);

/**
 * Whether a page should have one copy of this package, so that only the project's own version will
 * do.
 */
export function isSingleton(name: string): boolean {
  return singletons.some(
    ({ packages, importedParts = [] }) => packages.includes(name) || importedParts.includes(name),
  );
}
