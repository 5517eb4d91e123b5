/**
 * Type declarations of a project's packages, from the server. The response for a URL never changes,
 * so it stays in the browser's cache.
 */

/** Loads declarations: `/npm/NAME@VERSION~HASH` → text by path. Null if there are none. */
export type LoadTypes = (address: string) => Promise<ReadonlyMap<string, string> | null>;

/** The merged declarations of a project's packages. */
export interface PackageTypes {
  readonly files: ReadonlyMap<string, string>;
  /** Import specifier → true if the package has declarations. */
  readonly names: ReadonlyMap<string, boolean>;
}

/** Fetches the declarations of a package from the server. Rejects without a network. */
export const fetchTypes: LoadTypes = async (address) => {
  const url = address.replace(/^\/npm\//, '/npm/-/types/');
  const response = await fetch(new URL(`${url}.json`, location.origin));
  if (!response.ok) return null;
  const body: unknown = await response.json();
  const files = typeof body === 'object' && body !== null && 'files' in body ? body.files : null;
  if (typeof files !== 'object' || files === null) return null;
  return new Map(Object.entries(files).filter(isTextEntry));
};

function isTextEntry(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string';
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
    for (const folder of foldersOf(files)) if (isFolderOf(folder, name)) owners.set(folder, name);
  const merged = new Map<string, string>();
  const names = new Map<string, boolean>();
  for (const [name, files] of responses) {
    const folders = foldersOf(files);
    for (const folder of folders) if (!owners.has(folder)) owners.set(folder, name);
    for (const [path, text] of files ?? [])
      if (owners.get(folderOf(path)) === name) merged.set(path, text);
    names.set(
      name,
      [...folders].some((folder) => isFolderOf(folder, name)),
    );
  }
  return { files: merged, names };
}

function foldersOf(files: ReadonlyMap<string, string> | null): Set<string> {
  return new Set([...(files?.keys() ?? [])].map(folderOf));
}

/** The package folder of a path: `/node_modules/@a/b/c.d.ts` → `@a/b`. */
function folderOf(path: string): string {
  return /^\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? '';
}

function isFolderOf(folder: string, name: string): boolean {
  return folder === name || folder === toTypesPackage(name);
}

/** The DefinitelyTyped package of a package: `@a/b` → `@types/a__b`. */
export function toTypesPackage(name: string): string {
  return `@types/${name.replace(/^@/, '').replace('/', '__')}`;
}
