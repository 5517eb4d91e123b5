import { catalogue } from '@vitrine/project';

/** The project's wishes, as npm knows them, and what they came to. */
export const manifestPath = 'package.json';
export const lockPath = 'package-lock.json';

/** Name as imported → the range, tag or version that is wished for. */
export type Wishes = ReadonlyMap<string, string>;

/** Where a manifest does not read as one. */
export interface ManifestProblem {
  readonly sentence: string;
  readonly line: number;
  readonly column: number;
}

export type Manifest =
  { readonly wishes: Wishes } | { readonly wishes: undefined; readonly problem: ManifestProblem };

/** What a `package.json` wishes for; no file wishes for nothing. */
export function readManifest(text: string | undefined): Manifest {
  if (text === undefined) return { wishes: new Map() };
  try {
    const wishes = findWishes(JSON.parse(text));
    return wishes ? { wishes } : unreadable(placeOf(text, text.search(/"(dev)?[dD]ependencies"/)));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return unreadable(placeInMessage(error.message));
  }
}

/** Whether a lock was made from these wishes; one that does not read as a lock was not. */
export function fitsWishes(lock: string, wishes: Wishes): boolean {
  const made = findLockedWishes(lock);
  return (
    made !== undefined &&
    made.size === wishes.size &&
    [...wishes].every(([name, range]) => made.get(name) === range)
  );
}

function findLockedWishes(lock: string): Wishes | undefined {
  try {
    const { packages } = asRecord(JSON.parse(lock)) ?? {};
    return findWishes(asRecord(packages)?.['']);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function findWishes(manifest: unknown): Wishes | undefined {
  const fields = asRecord(manifest);
  if (!fields) return undefined;
  const wishes = new Map<string, string>();
  for (const kind of ['devDependencies', 'dependencies']) {
    const listed = fields[kind] === undefined ? {} : asRecord(fields[kind]);
    if (!listed) return undefined;
    for (const [name, range] of Object.entries(listed)) {
      if (typeof range !== 'string') return undefined;
      wishes.set(name, range);
    }
  }
  return wishes;
}

function unreadable(place: Pick<ManifestProblem, 'line' | 'column'>): Manifest {
  const { sentence } = catalogue.package_json_invalid;
  return { wishes: undefined, problem: { sentence, ...place } };
}

/** "… (line 3 column 5)" of Chromium and Node, "… at line 3 column 5 of …" of Firefox; WebKit says none. */
function placeInMessage(message: string): { line: number; column: number } {
  const [, line = '1', column = '1'] = /line (\d+) column (\d+)/.exec(message) ?? [];
  return { line: Number(line), column: Number(column) };
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, Math.max(0, offset)).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isRecord ? { ...value } : undefined;
}
