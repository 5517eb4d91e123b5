/**
 * Type declarations of a project's packages, from the server. The response for a URL never changes,
 * so it stays in the browser's cache.
 */
import { parseTypesResponse } from '@vitrine/esm/messages';
import { VitrineError } from '@vitrine/project/errors';

/**
 * Loads declarations: `/npm/NAME@VERSION~HASH` → text by path. Null if the server has none or responds
 * with an error.
 */
type TypesLoader = (packageUrl: string) => Promise<ReadonlyMap<string, string> | null>;

/** The merged declarations of a project's packages. */
interface PackageTypes {
  readonly files: ReadonlyMap<string, string>;
  /** Package name → whether the package has declarations, its own or of DefinitelyTyped. */
  readonly hasTypesByName: ReadonlyMap<string, boolean>;
}

/** Fetches the declarations of a package from the server. Rejects without a network. */
export const fetchTypes: TypesLoader = async (packageUrl) => {
  const typesUrl = packageUrl.replace(/^\/npm\//, '/npm/-/types/');
  const response = await fetch(new URL(`${typesUrl}.json`, location.origin));
  return response.ok ? parseTypes(await response.text()) : null;
};

/** Text by path. Null for a body that isn't the server's, as from a proxy in front of it. */
export function parseTypes(body: string): ReadonlyMap<string, string> | null {
  try {
    return new Map(Object.entries(parseTypesResponse(JSON.parse(body)).files));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof VitrineError) return null;
    throw error;
  }
}

/**
 * Merges the declarations of several packages into one `node_modules`. Each response includes the
 * package's dependencies. If two contain the same package, the version that the project itself
 * depends on wins, otherwise the first.
 */
export function mergeTypes(
  responses: ReadonlyMap<string, ReadonlyMap<string, string> | null>,
): PackageTypes {
  const owners = new Map<string, string>();
  for (const [name, files] of responses)
    for (const packageName of listPackageNames(files))
      if (providesTypesOf(packageName, name)) owners.set(packageName, name);
  const merged = new Map<string, string>();
  const hasTypesByName = new Map<string, boolean>();
  for (const [name, files] of responses) {
    const packageNames = listPackageNames(files);
    for (const packageName of packageNames)
      if (!owners.has(packageName)) owners.set(packageName, name);
    for (const [path, text] of files ?? [])
      if (owners.get(getPackageName(path)) === name) merged.set(path, text);
    hasTypesByName.set(
      name,
      [...packageNames].some((packageName) => providesTypesOf(packageName, name)),
    );
  }
  return { files: merged, hasTypesByName };
}

function listPackageNames(files: ReadonlyMap<string, string> | null): Set<string> {
  return new Set([...(files?.keys() ?? [])].map(getPackageName));
}

/** The package that a path is in: `/node_modules/@a/b/c.d.ts` → `@a/b`. */
function getPackageName(path: string): string {
  return /^\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? '';
}

function providesTypesOf(packageName: string, name: string): boolean {
  return packageName === name || packageName === toTypesPackage(name);
}

/** The DefinitelyTyped package of a package: `@a/b` → `@types/a__b`. */
export function toTypesPackage(name: string): string {
  return `@types/${name.replace(/^@/, '').replace('/', '__')}`;
}
