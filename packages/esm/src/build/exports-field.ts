/*
 * The `exports` and `imports` fields of package.json as in Node's documentation, "Modules: Packages",
 * with the conditions of browsers. Targets outside of the package are ignored.
 */
import { isRecord } from '@vitrine/project/is-record';
import type { PackageMode } from '../lockfile/resolution-hash.ts';

/** Conditions for an import, a `require` in a CommonJS file, or a style sheet. */
export function conditionsOf(
  mode: PackageMode,
  kind: 'import' | 'require' | 'style',
): ReadonlySet<string> {
  return new Set(['browser', 'module', 'svelte', kind, mode, 'default']);
}

/**
 * Resolves a subpath: './client' → './client.js'.
 *
 * @param subpath '.', or a path that starts with './'.
 * @returns Undefined when the package doesn't export the subpath to browsers.
 */
export function resolveExports(
  field: unknown,
  subpath: string,
  conditions: ReadonlySet<string>,
): string | undefined {
  const target = resolveKey(readSubpaths(field), subpath, conditions);
  return target !== undefined && isInside(target) ? target : undefined;
}

/** Resolves an internal import: '#internal' → './file.js' or the name of another package. */
export function resolveImports(
  field: unknown,
  specifier: string,
  conditions: ReadonlySet<string>,
): string | undefined {
  const target = isRecord(field)
    ? resolveKey(
        getOrRead(field, () => readKeys(field)),
        specifier,
        conditions,
      )
    : undefined;
  return target?.startsWith('.') === true && !isInside(target) ? undefined : target;
}

/** Subpaths that `exports` lists: complete ones, and patterns with their `*`. */
export function listExports(field: unknown): { subpaths: string[]; patterns: string[] } {
  const { map, patterns } = readSubpaths(field);
  return {
    subpaths: Object.keys(map).filter((key) => !isPattern(key)),
    patterns: patterns.map(({ key }) => key).filter((key) => key !== './'),
  };
}

/** Folders of the files that a pattern may match: './features/*' → ['lib/features/', 'src/']. */
export function patternFolders(field: unknown, pattern: string): string[] {
  const strings = (target: unknown): string[] =>
    typeof target === 'string'
      ? [target]
      : typeof target === 'object' && target !== null
        ? Object.values(target).flatMap(strings)
        : [];
  const targets = strings(readSubpaths(field).map[pattern]).filter((target) =>
    target.startsWith('./'),
  );
  return [...new Set(targets.map((target) => target.slice(2).replace(/\*.*$/, '')))];
}

/** Keys of a field, and which of them are patterns. Some packages have ten thousand keys. */
interface Keys {
  readonly map: Record<string, unknown>;
  readonly patterns: readonly Pattern[];
}

/** `./features/*.js` has `./features/` before its star and `.js` after it. */
interface Pattern {
  readonly key: string;
  readonly before: string;
  readonly after: string;
}

/** `exports` or `imports` field → its parsed keys. Cached because every file is looked up. */
const keysCache = new WeakMap<object, Keys>();

function readSubpaths(field: unknown): Keys {
  if (!isRecord(field)) return readKeys({ '.': field });
  const bySubpath = () => Object.keys(field).some((key) => key.startsWith('.'));
  return getOrRead(field, () => readKeys(bySubpath() ? field : { '.': field }));
}

function getOrRead(field: object, read: () => Keys): Keys {
  const keys = keysCache.get(field) ?? read();
  keysCache.set(field, keys);
  return keys;
}

function readKeys(map: Record<string, unknown>): Keys {
  return { map, patterns: Object.keys(map).filter(isPattern).map(parsePattern) };
}

function isPattern(key: string): boolean {
  return key.includes('*') || key.endsWith('/');
}

/** Parses a pattern. The old form of a folder, `./lib/`, is the pattern `./lib/*`. */
function parsePattern(key: string): Pattern {
  const [before = '', after = ''] = (key.endsWith('/') ? `${key}*` : key).split('*');
  return { key, before, after };
}

function resolveKey(
  { map, patterns }: Keys,
  subpath: string,
  conditions: ReadonlySet<string>,
): string | undefined {
  if (Object.hasOwn(map, subpath) && !subpath.includes('*')) {
    return pickTarget(map[subpath], '', conditions) ?? undefined;
  }
  const match = findBestPattern(patterns, subpath);
  return match && (pickTarget(map[match.key], match.star, conditions) ?? undefined);
}

/**
 * Finds the most specific pattern that matches: the one with the longest text before its star, then
 * the longest one.
 */
function findBestPattern(patterns: readonly Pattern[], subpath: string) {
  let best: { key: string; star: string } | undefined;
  for (const pattern of patterns) {
    const star = matchStar(pattern, subpath);
    if (star === undefined) continue;
    if (!best || isMoreSpecific(pattern.key, best.key)) best = { key: pattern.key, star };
  }
  return best;
}

function isMoreSpecific(key: string, than: string): boolean {
  const [before, other] = [key.indexOf('*'), than.indexOf('*')];
  return before > other || (before === other && key.length > than.length);
}

/** Text that the star stands for: './features/*.js', './features/a/b.js' → 'a/b'. */
function matchStar({ before, after }: Pattern, subpath: string): string | undefined {
  const fits =
    subpath.length > before.length + after.length &&
    subpath.startsWith(before) &&
    subpath.endsWith(after);
  return fits ? subpath.slice(before.length, subpath.length - after.length) : undefined;
}

/**
 * Resolves conditions. Null: the branch excludes the subpath, so stop. Undefined: no condition
 * matched.
 */
function pickTarget(
  target: unknown,
  star: string,
  conditions: ReadonlySet<string>,
): string | null | undefined {
  if (target === null) return null;
  if (typeof target === 'string') {
    return target.endsWith('/') ? target + star : target.replaceAll('*', star);
  }
  if (Array.isArray(target)) {
    for (const item of target) {
      const picked = pickTarget(item, star, conditions);
      if (typeof picked === 'string') return picked;
    }
    return undefined;
  }
  if (!isRecord(target)) return undefined;
  for (const [condition, value] of Object.entries(target)) {
    if (!conditions.has(condition)) continue;
    const picked = pickTarget(value, star, conditions);
    if (picked !== undefined) return picked;
  }
  return undefined;
}

function isInside(target: string): boolean {
  if (!target.startsWith('./')) return false;
  const segments = target.slice(2).split(/[/\\]/);
  return !segments.some((part) => part === '..' || part === '.' || part === 'node_modules');
}
