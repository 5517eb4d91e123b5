/**
 * Declarations of a project's packages, from our own host. The answer for an address never changes,
 * and stays in the browser's cache.
 */

/** `/npm/NAME@VERSION~LINK` → path → text; null where there are none to be had. */
export type LoadTypes = (address: string) => Promise<ReadonlyMap<string, string> | null>;

export interface PackageTypes {
  readonly files: ReadonlyMap<string, string>;
  /** Name as the project imports it → whether it has declarations. */
  readonly names: ReadonlyMap<string, boolean>;
}

export const fetchTypes: LoadTypes = async (address) => {
  const url = address.replace(/^\/npm\//, '/npm/-/types/');
  const response = await fetch(new URL(`${url}.json`, location.origin));
  if (!response.ok) return null;
  const body: unknown = await response.json();
  const files = typeof body === 'object' && body !== null && 'files' in body ? body.files : null;
  if (typeof files !== 'object' || files === null) return null;
  return new Map(Object.entries(files).filter(isText));
};

function isText(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string';
}

/**
 * Lays the declarations of several packages into one folder. Each answer brings what its package
 * depends on; where two bring the same package, the project's own version of it counts, else the first.
 */
export function joinTypes(
  answers: ReadonlyMap<string, ReadonlyMap<string, string> | null>,
): PackageTypes {
  const owners = new Map<string, string>();
  for (const [name, files] of answers)
    for (const folder of foldersOf(files)) if (isFor(folder, name)) owners.set(folder, name);
  const joined = new Map<string, string>();
  const names = new Map<string, boolean>();
  for (const [name, files] of answers) {
    const folders = foldersOf(files);
    for (const folder of folders) if (!owners.has(folder)) owners.set(folder, name);
    for (const [path, text] of files ?? [])
      if (owners.get(folderOf(path)) === name) joined.set(path, text);
    names.set(
      name,
      [...folders].some((folder) => isFor(folder, name)),
    );
  }
  return { files: joined, names };
}

function foldersOf(files: ReadonlyMap<string, string> | null): Set<string> {
  return new Set([...(files?.keys() ?? [])].map(folderOf));
}

/** `/node_modules/@a/b/c.d.ts` → `@a/b`. */
function folderOf(path: string): string {
  return /^\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? '';
}

function isFor(folder: string, name: string): boolean {
  return folder === name || folder === typesName(name);
}

/** The package that has the declarations of another: `@a/b` → `@types/a__b`. */
export function typesName(name: string): string {
  return `@types/${name.replace(/^@/, '').replace('/', '__')}`;
}
