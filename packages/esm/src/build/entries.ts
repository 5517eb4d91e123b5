/**
 * Which subpaths of a package are built together. All that `exports` names, and what its patterns
 * stand for while that is a modest number of files: modules that two subpaths share are then shared
 * in the output too. The rest (ten thousand icons, deep files of packages without `exports`) is
 * built one by one when asked for.
 */
import { listExports, type Mode } from './exports-field.ts';
import type { PackageFiles } from './package-files.ts';
import { resolveSubpath } from './resolve-specifier.ts';

/** Subpath ('.', './client') → file, of all that is built together. */
export type Entries = ReadonlyMap<string, string>;

/** More files behind patterns than this are built one by one: their common build would take seconds. */
const maxPatternFiles = 700;
const maxPatternBytes = 12e6;

const scripts = /\.(?:[cm]?js|jsx|ts|tsx|json|css|wasm)$/;
/** Folders whose every file is exported only so that it can be reached: built when it is. */
const rawFolders = /^\.\/(?:dist|src|build|umd|cjs|es|esm)\//;
const notForBrowsers = /\.d\.[cm]?ts$|\.min\.[cm]?js$|(?:^|\/)(?:tests?|__tests__|spec|fixtures)\//;

export function listEntries(files: PackageFiles, mode: Mode): Entries {
  const entries = new Map<string, string>();
  const add = (subpath: string) => {
    const file = resolveSubpath(files, mode, subpath);
    if (file !== undefined && scripts.test(file) && !/\.d\.[cm]?ts$/.test(file)) {
      entries.set(subpath, file);
    }
  };
  add('.');
  if (files.json.exports === undefined) return entries;
  const { subpaths, patterns } = listExports(files.json.exports);
  subpaths.filter((subpath) => subpath !== './package.json').forEach(add);
  const found = new Map(patterns.flatMap((pattern) => expandPattern(files, mode, pattern)));
  const paths = new Set(found.values());
  const bytes = [...paths].reduce((sum, path) => sum + (files.sizes.get(path) ?? 0), 0);
  if (paths.size <= maxPatternFiles && bytes <= maxPatternBytes) {
    for (const subpath of found.keys()) add(subpath);
  }
  return entries;
}

/** './features/*' → './features/a', './features/b.js' …: those that name a file of the package. */
function expandPattern(files: PackageFiles, mode: Mode, pattern: string): [string, string][] {
  const [before = '', after = ''] = (pattern.endsWith('/') ? `${pattern}*` : pattern).split('*');
  const found: [string, string][] = [];
  for (const path of files.sizes.keys()) {
    if (!scripts.test(path) || notForBrowsers.test(path)) continue;
    for (const star of starsOf(path, after)) {
      const subpath = before + star + after;
      if (rawFolders.test(subpath)) continue;
      if (resolveSubpath(files, mode, subpath) === path) found.push([subpath, path]);
    }
  }
  return found;
}

/** Every tail of a path, with and without its extension and its `/index`, as a star may stand for it. */
function starsOf(path: string, after: string): string[] {
  const segments = path.split('/');
  const tails = segments.map((_, index) => segments.slice(index).join('/'));
  return tails.flatMap((tail) => {
    const bare = tail.replace(/\.[^./]+$/, '');
    const forms = after === '' ? [tail, bare, bare.replace(/\/index$/, '')] : [tail, bare];
    return [...new Set([...forms, tail.endsWith(after) ? tail.slice(0, -after.length || undefined) : tail])];
  });
}
