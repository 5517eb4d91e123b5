/*
 * Selects which subpaths of a package are built together, so that modules which two of them share are
 * shared in the output: everything that `exports` names, the files that its patterns match, and in an
 * old package (without `exports`) the modules around the main module, if these are a moderate number
 * of files. The rest (ten thousand icons, deep CommonJS files) is built one by one on request.
 */
import type { PackageMode } from '../lockfile/resolution-hash.ts';
import { listExports, patternFolders } from './exports-field.ts';
import type { ModuleReader } from './module-format.ts';
import { declaresSideEffects, orderEntries } from './ordered-entries.ts';
import type { PackageFiles } from './package-files.ts';
import { resolveSubpath } from './resolve-specifier.ts';

/** Subpath ('.', './client') → file. */
export type Entries = ReadonlyMap<string, string>;

interface CommonBuild {
  /** Everything that is built together, main module first. */
  readonly entries: Entries;
  /** Files that must run in the order of the main module, which loads them. Mostly empty. */
  readonly inOrder: ReadonlySet<string>;
}

/**
 * Maximum number of files that patterns match. With more, a common build would take seconds, so
 * they are built one by one.
 */
const maxPatternFiles = 1_000;
const maxPatternBytes = 12e6;
/** Maximum number of files that `exports` names. With more, only the main module is built. */
const maxNamedFiles = 2_000;
/** Maximum number of comparisons of a file with a pattern. A second allows about ten million. */
const maxPatternComparisons = 20e6;

const scripts = /\.(?:[cm]?js|jsx|ts|tsx|svelte|json|css|wasm)$/;
/** Folders whose files are exported only so that they are reachable. They are built on request. */
const distributionFolders = /^\.\/(?:dist|src|build|umd|cjs|es|esm)\//;
const excludedFiles =
  /\.d\.[cm]?ts$|\.min\.[cm]?js$|\.(?:test|spec)\.[cm]?[jt]sx?$|(?:^|\/)(?:tests?|__tests__|spec|fixtures)\//;

/** Lists the entries of a package's common build. */
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
    const isDistributionFile = (subpath: string) =>
      subpath === './package.json' ||
      (distributionFolders.test(subpath) &&
        resolveSubpath(files, mode, subpath)?.startsWith(subpath.slice(2)));
    const main = new Map(entries);
    subpaths.filter((subpath) => !isDistributionFile(subpath)).forEach(add);
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
    return more && isModerate(files, more) ? new Map([...entries, ...more]) : entries;
  };
  const ordered = orderEntries(files, mode, reader, entries, listAll);
  if (ordered !== undefined) return { entries: ordered.entries, inOrder: ordered.loadedByMain };
  return { entries: declaresSideEffects(files) ? entries : listAll(), inOrder: new Set() };
}

function isModerate(files: PackageFiles, found: readonly (readonly [string, string])[]): boolean {
  const paths = new Set(found.map(([, path]) => path));
  const bytes = [...paths].reduce((sum, path) => sum + (files.sizes.get(path) ?? 0), 0);
  return paths.size <= maxPatternFiles && bytes <= maxPatternBytes;
}

/**
 * ES modules in the top-level folder of the main module, for an old package whose main module is an
 * ES module.
 */
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
      !excludedFiles.test(path) &&
      (top !== '' || !distributionFolders.test(`./${path}`)),
  );
  if (
    !isModerate(
      files,
      near.map((path) => [path, path]),
    )
  )
    return [];
  return near
    .filter((path) => !reader.isCommonjs(path))
    .flatMap((path) =>
      listStarValues(path, '')
        .slice(0, 3)
        .map((form) => `./${form}`),
    )
    .flatMap((subpath): [string, string][] => {
      const path = resolveSubpath(files, mode, subpath);
      return path === undefined ? [] : [[subpath, path]];
    });
}

/**
 * Files that are entries only because a pattern (`./*`: `./*`) exports every file. They may be
 * anything, including code for Node.
 */
export function listPatternOnlyFiles(files: PackageFiles, entries: Entries): Set<string> {
  const { subpaths } = listExports(files.json.exports);
  const named = new Set(subpaths.flatMap((subpath) => entries.get(subpath) ?? []));
  const reachable = [...entries].filter(([subpath, path]) => subpath === `./${path}`);
  return files.json.exports === undefined
    ? new Set()
    : new Set(reachable.map(([, path]) => path).filter((path) => !named.has(path)));
}

/**
 * Subpaths that patterns match, with their files. Undefined when there are too many patterns and
 * files to compare.
 */
function expandPatterns(
  files: PackageFiles,
  mode: PackageMode,
  patterns: readonly string[],
): [string, string][] | undefined {
  const found: [string, string][] = [];
  let comparisons = 0;
  for (const pattern of patterns) {
    for (const [subpath, path] of listCandidates(files, pattern)) {
      // Resolving a subpath compares it with every pattern.
      comparisons += patterns.length;
      if (resolveSubpath(files, mode, subpath) === path) found.push([subpath, path]);
      if (comparisons > maxPatternComparisons) return undefined;
    }
    comparisons += files.sizes.size;
    if (comparisons > maxPatternComparisons) return undefined;
  }
  return found;
}

/**
 * './features/*' → './features/a', './features/b.js' …: subpaths that may resolve to a file of the
 * package.
 */
function* listCandidates(files: PackageFiles, pattern: string): Generator<[string, string]> {
  const [before = '', after = ''] = (pattern.endsWith('/') ? `${pattern}*` : pattern).split('*');
  const folders = patternFolders(files.json.exports, pattern);
  const canMatch = (path: string) =>
    files.json.browserMap.size > 0 || folders.some((folder) => path.startsWith(folder));
  for (const path of files.sizes.keys()) {
    if (!scripts.test(path) || excludedFiles.test(path) || !canMatch(path)) continue;
    for (const star of listStarValues(path, after)) {
      const subpath = before + star + after;
      if (!distributionFolders.test(subpath)) yield [subpath, path];
    }
  }
}

/** Every tail of a path, with and without its extension and `/index`: what a star may stand for. */
function listStarValues(path: string, after: string): string[] {
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
