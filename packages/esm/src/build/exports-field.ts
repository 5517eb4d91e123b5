/**
 * The `exports` and `imports` fields of package.json, as Node's "Modules: Packages" describes them,
 * with the conditions of a browser. Targets stay inside the package: any other is no target.
 */
import type { PackageMode } from '@vitrine/project';
import { isRecord } from './package-json.ts';

/** The conditions that hold for an import, for a `require` inside a CommonJS file, or of a style sheet. */
export function conditionsOf(
  mode: PackageMode,
  kind: 'import' | 'require' | 'style',
): ReadonlySet<string> {
  return new Set(['browser', 'module', 'svelte', kind, mode, 'default']);
}

/**
 * './client' → './client.js'. Undefined when the package does not export that subpath to a
 * browser; `subpath` is '.' or begins with './'.
 */
export function resolveExports(
  field: unknown,
  subpath: string,
  conditions: ReadonlySet<string>,
): string | undefined {
  const target = matchKey(readSubpaths(field), subpath, conditions);
  return target !== undefined && isInside(target) ? target : undefined;
}

/** '#internal' → './file.js' or the name of another package. */
export function resolveImports(
  field: unknown,
  specifier: string,
  conditions: ReadonlySet<string>,
): string | undefined {
  const target = isRecord(field)
    ? matchKey(
        recall(field, () => readKeys(field)),
        specifier,
        conditions,
      )
    : undefined;
  return target?.startsWith('.') === true && !isInside(target) ? undefined : target;
}

/** The subpaths that `exports` lists: whole ones, and patterns with their `*`. */
export function listExports(field: unknown): { subpaths: string[]; patterns: string[] } {
  const { map, patterns } = readSubpaths(field);
  return {
    subpaths: Object.keys(map).filter((key) => !isPattern(key)),
    patterns: patterns.map(({ key }) => key).filter((key) => key !== './'),
  };
}

/** './features/*' → ['lib/features/', 'src/']: with one of these begins every file that a pattern may mean. */
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

/** A field's keys, and which of them are patterns: some packages have ten thousand. */
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

/** `exports` or `imports` → its keys, which every file is looked up in. */
const known = new WeakMap<object, Keys>();

function readSubpaths(field: unknown): Keys {
  if (!isRecord(field)) return readKeys({ '.': field });
  const bySubpath = () => Object.keys(field).some((key) => key.startsWith('.'));
  return recall(field, () => readKeys(bySubpath() ? field : { '.': field }));
}

function recall(field: object, read: () => Keys): Keys {
  const keys = known.get(field) ?? read();
  known.set(field, keys);
  return keys;
}

function readKeys(map: Record<string, unknown>): Keys {
  return { map, patterns: Object.keys(map).filter(isPattern).map(parsePattern) };
}

function isPattern(key: string): boolean {
  return key.includes('*') || key.endsWith('/');
}

/** A folder `./lib/` is `./lib/*`, as it once was. */
function parsePattern(key: string): Pattern {
  const [before = '', after = ''] = (key.endsWith('/') ? `${key}*` : key).split('*');
  return { key, before, after };
}

function matchKey(
  { map, patterns }: Keys,
  subpath: string,
  conditions: ReadonlySet<string>,
): string | undefined {
  if (Object.hasOwn(map, subpath) && !subpath.includes('*')) {
    return pickTarget(map[subpath], '', conditions) ?? undefined;
  }
  const match = bestPattern(patterns, subpath);
  return match && (pickTarget(map[match.key], match.star, conditions) ?? undefined);
}

/** Of the patterns that fit, the one with the longest text before its star, then the longest. */
function bestPattern(patterns: readonly Pattern[], subpath: string) {
  let best: { key: string; star: string } | undefined;
  for (const pattern of patterns) {
    const star = starOf(pattern, subpath);
    if (star === undefined) continue;
    if (!best || isCloser(pattern.key, best.key)) best = { key: pattern.key, star };
  }
  return best;
}

function isCloser(key: string, than: string): boolean {
  const [before, other] = [key.indexOf('*'), than.indexOf('*')];
  return before > other || (before === other && key.length > than.length);
}

/** './features/*.js', './features/a/b.js' → 'a/b' */
function starOf({ before, after }: Pattern, subpath: string): string | undefined {
  const fits =
    subpath.length > before.length + after.length &&
    subpath.startsWith(before) &&
    subpath.endsWith(after);
  return fits ? subpath.slice(before.length, subpath.length - after.length) : undefined;
}

/** Null: refused by this branch, look no further. Undefined: no condition held. */
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
