import { isBuildTool } from '@vitrine/esm/lockfile';
import { errorCatalog } from '@vitrine/project';

/** The project's dependency ranges, and the versions they resolved to. */
export const manifestPath = 'package.json';
export const lockfilePath = 'package-lock.json';

/** Package name → version range, tag or exact version. */
export type DependencyRanges = ReadonlyMap<string, string>;

/** Why package.json is invalid, and where. Line and column are counted from 1. */
export interface ManifestError {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

type ProjectManifest =
  | { readonly ranges: DependencyRanges }
  | { readonly ranges: undefined; readonly problem: ManifestError };

/**
 * Parses the dependencies of a package.json, without build tools, which aren't installed. Without a
 * file there are none.
 */
export function parseProjectManifest(text: string | undefined): ProjectManifest {
  if (text === undefined) return { ranges: new Map() };
  try {
    const ranges = findRanges(JSON.parse(text));
    return ranges ? { ranges } : invalid(positionAt(text, text.search(/"(dev)?[dD]ependencies"/)));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return invalid(parsePosition(error.message));
  }
}

/** Whether a lockfile was resolved from these ranges. False for an invalid lockfile. */
export function matchesLockfile(lockfile: string, ranges: DependencyRanges): boolean {
  const locked = findLockedRanges(lockfile);
  return (
    locked !== undefined &&
    locked.size === ranges.size &&
    [...ranges].every(([name, range]) => locked.get(name) === range)
  );
}

function findLockedRanges(lockfile: string): DependencyRanges | undefined {
  try {
    const { packages } = asRecord(JSON.parse(lockfile)) ?? {};
    return findRanges(asRecord(packages)?.['']);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function findRanges(manifest: unknown): DependencyRanges | undefined {
  const fields = asRecord(manifest);
  if (!fields) return undefined;
  const ranges = new Map<string, string>();
  for (const kind of ['devDependencies', 'dependencies']) {
    const listed = fields[kind] === undefined ? {} : asRecord(fields[kind]);
    if (!listed) return undefined;
    for (const [name, range] of Object.entries(listed)) {
      if (typeof range !== 'string') return undefined;
      if (!isBuildTool(name, kind)) ranges.set(name, range);
    }
  }
  return ranges;
}

function invalid(position: Pick<ManifestError, 'line' | 'column'>): ProjectManifest {
  const { message } = errorCatalog.package_json_invalid;
  return { ranges: undefined, problem: { message, ...position } };
}

/**
 * Parses the position in a message of `JSON.parse`: "… (line 3 column 5)" in Chromium and Node,
 * "… at line 3 column 5 of …" in Firefox. WebKit's messages have none.
 */
function parsePosition(message: string): { line: number; column: number } {
  const [, line = '1', column = '1'] = /line (\d+) column (\d+)/.exec(message) ?? [];
  return { line: Number(line), column: Number(column) };
}

function positionAt(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, Math.max(0, offset)).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isRecord ? { ...value } : undefined;
}
