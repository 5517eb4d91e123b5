/**
 * Which subpaths of a package are built together, so that modules which two of them share are shared
 * in the output too: all that `exports` names, what its patterns stand for, and the modules of an
 * old package (no `exports`) around its main one, while these are a modest number of files. The rest
 * (ten thousand icons, deep CommonJS files) is built one by one when asked for.
 */
import type { PackageMode } from '@vitrine/project';
import { listExports, patternFolders } from './exports-field.ts';
import type { ModuleReader } from './module-format.ts';
import { declaresEffects, orderEntries } from './ordered-entries.ts';
import type { PackageFiles } from './package-files.ts';
import { resolveSubpath } from './resolve-specifier.ts';

/** Subpath ('.', './client') → file. */
export type Entries = ReadonlyMap<string, string>;

export interface CommonBuild {
  /** All that is built together, the main module first. */
  readonly entries: Entries;
  /** The files that must run in the order of the main module, which loads them. Mostly none. */
  readonly inOrder: ReadonlySet<string>;
}

/** More files behind patterns than this are built one by one: their common build would take seconds. */
const maxPatternFiles = 1_000;
const maxPatternBytes = 12e6;
/** More files than these that `exports` names one by one are built so, too, but for the main one. */
const maxNamedFiles = 2_000;
/** Comparisons of a file with a pattern, of which a second has some ten million. */
const maxComparisons = 20e6;

const scripts = /\.(?:[cm]?js|jsx|ts|tsx|svelte|json|css|wasm)$/;
/** Folders whose every file is exported only so that it can be reached: built when it is. */
const rawFolders = /^\.\/(?:dist|src|build|umd|cjs|es|esm)\//;
const notForBrowsers =
  /\.d\.[cm]?ts$|\.min\.[cm]?js$|\.(?:test|spec)\.[cm]?[jt]sx?$|(?:^|\/)(?:tests?|__tests__|spec|fixtures)\//;

export function listEntries(
  files: PackageFiles,
  mode: PackageMode,
  reader: ModuleReader,
): CommonBuild {
  const entries = new Map<string, string>();
  const add = (subpath: string) => {
    const file = resolveSubpath(files, mode, subpath);
    if (file !== undefined && scripts.test(file) && !/\.d\.[cm]?ts$/.test(file)) {
      entries.set(subpath, file);
    }
  };
  add('.');
  const { subpaths, patterns } = listExports(files.json.exports);
  if (files.json.exports !== undefined) {
    const isRaw = (subpath: string) =>
      subpath === './package.json' ||
      (rawFolders.test(subpath) &&
        resolveSubpath(files, mode, subpath)?.startsWith(subpath.slice(2)));
    const main = new Map(entries);
    subpaths.filter((subpath) => !isRaw(subpath)).forEach(add);
    if (new Set(entries.values()).size > maxNamedFiles && main.size > 0)
      return { entries: main, inOrder: new Set() };
  }
  let all: Entries | undefined;
  const listAll = () => (all ??= addMore());
  const addMore = (): Entries => {
    const more =
      files.json.exports === undefined
        ? listModulesAround(files, mode, reader, entries.get('.'))
        : expandPatterns(files, mode, patterns);
    return more && isModest(files, more) ? new Map([...entries, ...more]) : entries;
  };
  const ordered = orderEntries(files, mode, reader, entries, listAll);
  if (ordered !== undefined) return { entries: ordered.entries, inOrder: ordered.ofMain };
  return { entries: declaresEffects(files) ? entries : listAll(), inOrder: new Set() };
}

function isModest(files: PackageFiles, found: readonly (readonly [string, string])[]): boolean {
  const paths = new Set(found.map(([, path]) => path));
  const bytes = [...paths].reduce((sum, path) => sum + (files.sizes.get(path) ?? 0), 0);
  return paths.size <= maxPatternFiles && bytes <= maxPatternBytes;
}

/** Of an old package with an ES module as its main one: the ES modules in the same top folder. */
function listModulesAround(
  files: PackageFiles,
  mode: PackageMode,
  reader: ModuleReader,
  main: string | undefined,
): [string, string][] {
  if (main === undefined || !/\.m?js$/.test(main) || reader.isCommonjs(main)) return [];
  const top = main.includes('/') ? main.slice(0, main.indexOf('/') + 1) : '';
  const near = [...files.sizes.keys()].filter(
    (path) =>
      path.startsWith(top) &&
      /\.m?js$/.test(path) &&
      !notForBrowsers.test(path) &&
      (top !== '' || !rawFolders.test(`./${path}`)),
  );
  if (
    !isModest(
      files,
      near.map((path) => [path, path]),
    )
  )
    return [];
  return near
    .filter((path) => !reader.isCommonjs(path))
    .flatMap((path) =>
      starsOf(path, '')
        .slice(0, 3)
        .map((form) => `./${form}`),
    )
    .flatMap((subpath): [string, string][] => {
      const path = resolveSubpath(files, mode, subpath);
      return path === undefined ? [] : [[subpath, path]];
    });
}

/**
 * Files that are entries only because a pattern (`./*`: `./*`) lets every file be reached. They may
 * be anything, also what only Node can run.
 */
export function listMerelyReachable(files: PackageFiles, entries: Entries): Set<string> {
  const { subpaths } = listExports(files.json.exports);
  const named = new Set(subpaths.flatMap((subpath) => entries.get(subpath) ?? []));
  const reachable = [...entries].filter(([subpath, path]) => subpath === `./${path}`);
  return files.json.exports === undefined
    ? new Set()
    : new Set(reachable.map(([, path]) => path).filter((path) => !named.has(path)));
}

/** Undefined where there are too many patterns and files to try one with the other. */
function expandPatterns(
  files: PackageFiles,
  mode: PackageMode,
  patterns: readonly string[],
): [string, string][] | undefined {
  const found: [string, string][] = [];
  let comparisons = 0;
  for (const pattern of patterns) {
    for (const [subpath, path] of listCandidates(files, pattern)) {
      // To resolve one means to compare it with every pattern.
      comparisons += patterns.length;
      if (resolveSubpath(files, mode, subpath) === path) found.push([subpath, path]);
      if (comparisons > maxComparisons) return undefined;
    }
    comparisons += files.sizes.size;
    if (comparisons > maxComparisons) return undefined;
  }
  return found;
}

/** './features/*' → './features/a', './features/b.js' …: those that may name a file of the package. */
function* listCandidates(files: PackageFiles, pattern: string): Generator<[string, string]> {
  const [before = '', after = ''] = (pattern.endsWith('/') ? `${pattern}*` : pattern).split('*');
  const folders = patternFolders(files.json.exports, pattern);
  const mayBeMeant = (path: string) =>
    files.json.browserMap.size > 0 || folders.some((folder) => path.startsWith(folder));
  for (const path of files.sizes.keys()) {
    if (!scripts.test(path) || notForBrowsers.test(path) || !mayBeMeant(path)) continue;
    for (const star of starsOf(path, after)) {
      const subpath = before + star + after;
      if (!rawFolders.test(subpath)) yield [subpath, path];
    }
  }
}

/** Every tail of a path, with and without its extension and its `/index`, as a star may stand for it. */
function starsOf(path: string, after: string): string[] {
  const segments = path.split('/');
  const tails = segments.map((_, index) => segments.slice(index).join('/'));
  return tails.flatMap((tail) => {
    const bare = tail.replace(/\.[^./]+$/, '');
    const forms = after === '' ? [tail, bare, bare.replace(/\/index$/, '')] : [tail, bare];
    return [
      ...new Set([
        ...forms,
        tail.endsWith(after) ? tail.slice(0, -after.length || undefined) : tail,
      ]),
    ];
  });
}
