/*
 * Plans which files of a build are merged into chunks. A chunk contains everything that its files
 * import (except for what was merged before), because any other set could create an import cycle.
 *
 * A module that loads a chunk loads everything that the chunk's parts import. Parts that import a
 * package that may be missing, or that is made for servers, are therefore only merged with other
 * files that the main module loads.
 */
import type { Metafile } from 'esbuild';
import { parsePackageName } from '../lockfile/lockfile.ts';
import { mergeAdjacentChunks } from './merge-adjacent-chunks.ts';
import { listHelperChunks } from './merge-chunks.ts';
import { buildImportGraph, listInLoadOrder, type ImportGraph } from './import-graph.ts';

/**
 * Maximum number of chunks that an entry loads without merging. For side-effect-free entries, only
 * if they are larger than `smallBytes`.
 */
const maxChunks = 6;
const smallBytes = 64_000;
/**
 * Size limit for merging all side-effect-free entries of a package into one file: loading all of it
 * costs little.
 */
const maxWholeBytes = 600_000;
/**
 * Number of files from which `maxChunkBytes` applies instead of `maxWholeBytes`, because so many
 * requests take longer than a larger file.
 */
const manyFilesMin = 40;
/**
 * Size limit of a chunk. Beyond it, an entry that lists everything (`three/addons`) is not merged,
 * because a request for one part would load all of it.
 */
const maxChunkBytes = 1_200_000;
/**
 * Maximum number of modules of other packages that entries import in addition to the main module; with
 * many entries, one module for each `entriesPerImport` of them. A module that loads a chunk loads
 * everything that the chunk imports. With more (a hundred languages, each re-exported from another
 * package), entries that import such modules are not merged.
 */
const maxExtraImports = 12;
const entriesPerImport = 4;
/** Size limit of an entry that only re-exports from chunks. */
const maxThinBytes = 4_000;

interface ChunkPlanOptions {
  /** Output files of the package's entries, main module first. */
  readonly entries: readonly string[];
  /**
   * False for a package that consists of subpaths (`@babel/runtime`), whose main module is a stub.
   */
  readonly hasMain: boolean;
  /** Entries without side effects. */
  readonly sideEffectFree: ReadonlySet<string>;
  /** Entries that `exports` names, not only a pattern. */
  readonly named: ReadonlySet<string>;
  /** Files that are not merged, including the files that they load. */
  readonly isolated: readonly string[];
  /** Packages that are always installed together with this one. */
  readonly required: ReadonlySet<string>;
}

interface FileSizes {
  readonly graph: ImportGraph;
  /** Files that are not merged: entries, dynamically imported files and isolated files. */
  readonly roots: ReadonlySet<string>;
  /** Isolated files, including the files that they load. */
  readonly apart: ReadonlySet<string>;
  bytes(files: Iterable<string>): number;
  /** Modules of other packages that a file loads. */
  external(file: string): string[];
  /** Whether everything that a file loads is always installed, and made for browsers. */
  isSafe(file: string): boolean;
}

/** Output file → name of the chunk that it is merged into. */
export function planChunks(metafile: Metafile, options: ChunkPlanOptions): Map<string, string> {
  const sizes = measure(metafile, options);
  const sideEffectFree = [...options.sideEffectFree].filter((file) => options.named.has(file));
  const mergeable = removeManyImports(sizes, sideEffectFree.filter(sizes.isSafe), options);
  const groups = new Map<string, string>();
  mergeSmallPackage(sizes, mergeable, options.entries[0] ?? '', groups);
  for (const root of sizes.roots) {
    const isMain = root === options.entries[0];
    mergeForEntry(sizes, root, { isMain, isHarmless: sideEffectFree.includes(root) }, groups);
  }
  mergeAdjacentChunks(sizes, groups);
  mergeThinEntries(sizes, mergeable, groups);
  return groups;
}

function measure(metafile: Metafile, options: ChunkPlanOptions): FileSizes {
  const { entries, hasMain, required } = options;
  const helpers = listHelperChunks(metafile);
  const graph = new Map(
    [...buildImportGraph(metafile)]
      .filter(([file]) => !helpers.has(file))
      .map(([file, imports]) => [file, imports.filter((next) => !helpers.has(next))]),
  );
  const apart = new Set(options.isolated.flatMap((file) => listInLoadOrder(graph, file)));
  const external = (from: string) =>
    listInLoadOrder(graph, from)
      .flatMap((file) => metafile.outputs[file]?.imports ?? [])
      .filter((item) => item.external === true && item.kind === 'import-statement')
      .map((item) => item.path.replace(/^vitrine-package(?:\?require)?:/, ''))
      .filter((path) => !path.startsWith('vitrine-base:'));
  const [main = ''] = entries;
  const ofMain = new Set(external(main));
  const folders = new Set([...ofMain].flatMap((path) => findFolder(path) ?? []));
  const isAlwaysInstalled = (path: string) => {
    if (!required.has(parsePackageName(path) ?? path)) return false;
    // A subpath of a required package may require more than its main module does.
    return !hasMain || ofMain.has(path) || folders.has(findFolder(path) ?? '');
  };
  const lazy = Object.entries(metafile.outputs)
    .filter(([file, { entryPoint }]) => entryPoint !== undefined && file.endsWith('.js'))
    .map(([file]) => file);
  return {
    graph,
    roots: new Set([...entries, ...lazy, ...apart]),
    apart,
    bytes: (files) =>
      [...files].reduce((sum, file) => sum + (metafile.outputs[file]?.bytes ?? 0), 0),
    external,
    isSafe: (file) =>
      external(file).every(isAlwaysInstalled) && !loadsMissing(metafile, graph, file),
  };
}

/** Whether a file loads a file that the package imports but doesn't contain, which throws. */
function loadsMissing({ outputs }: Metafile, graph: ImportGraph, from: string): boolean {
  const inputs = listInLoadOrder(graph, from).flatMap((file) =>
    Object.keys(outputs[file]?.inputs ?? {}),
  );
  return inputs.some((input) => input.startsWith('missing:'));
}

function removeManyImports(
  { external }: FileSizes,
  harmless: readonly string[],
  { entries, hasMain }: ChunkPlanOptions,
): readonly string[] {
  const ofMain = new Set(hasMain ? external(entries[0] ?? '') : []);
  const imports = (file: string) => external(file).filter((path) => !ofMain.has(path));
  const most = Math.max(maxExtraImports, harmless.length / entriesPerImport);
  if (new Set(harmless.flatMap(imports)).size <= most) return harmless;
  return harmless.filter((file) => imports(file).length === 0);
}

/** 'x/es/hooks/a' → 'x/es'; undefined for 'x' and 'x/a', which have no folder. */
function findFolder(path: string): string | undefined {
  const name = parsePackageName(path);
  const [, folder, file] = name === undefined ? [] : path.slice(name.length).split('/');
  return folder === undefined || file === undefined ? undefined : `${name}/${folder}`;
}

/**
 * Merges all of a small package: its side-effect-free entries, and what they and the main module
 * load.
 */
function mergeSmallPackage(
  { graph, roots, apart, bytes, isSafe }: FileSizes,
  harmless: readonly string[],
  main: string,
  groups: Map<string, string>,
): void {
  const ofMain = listInLoadOrder(graph, main).filter((file) => !roots.has(file) && isSafe(file));
  // In the main module's load order: other modules may rely on the main module's effects.
  const ofOthers = harmless.flatMap((file) => listInLoadOrder(graph, file));
  const whole = new Set([...ofMain, ...ofOthers.filter((file) => !apart.has(file))]);
  const maxBytes = whole.size > manyFilesMin ? maxChunkBytes : maxWholeBytes;
  if (harmless.length < 2 || whole.size < 3 || bytes(whole) > maxBytes) return;
  for (const file of whole) groups.set(file, '~1.js');
}

/**
 * Merges the files that an entry loads and that are in no chunk yet, if it loads too many files.
 */
function mergeForEntry(
  { graph, roots, bytes, isSafe }: FileSizes,
  root: string,
  { isMain, isHarmless }: { isMain: boolean; isHarmless: boolean },
  groups: Map<string, string>,
): void {
  const chunks = listInLoadOrder(graph, root).filter((file) => !roots.has(file));
  const files = new Set(chunks.map((file) => groups.get(file) ?? file));
  const isSmall = isHarmless && files.size > 1 && bytes(chunks) <= smallBytes;
  if (files.size <= maxChunks && !isSmall) return;
  const unmerged = chunks.filter((file) => !groups.has(file));
  const safe = unmerged.filter(isSafe);
  if (isMain || bytes(safe) <= maxChunkBytes) merge(safe, groups);
  if (isMain)
    merge(
      unmerged.filter((file) => !isSafe(file)),
      groups,
    );
}

function merge(files: readonly string[], groups: Map<string, string>): void {
  const name = `~${new Set(groups.values()).size + 1}.js`;
  for (const file of files) groups.set(file, name);
}

/** Merges entries that load one chunk and nothing else into that chunk. */
function mergeThinEntries(
  { graph, bytes }: FileSizes,
  harmless: readonly string[],
  groups: Map<string, string>,
): void {
  for (const file of harmless) {
    if (bytes([file]) > maxThinBytes || groups.has(file)) continue;
    const loadedChunks = new Set(
      listInLoadOrder(graph, file)
        .slice(0, -1)
        .map((chunk) => groups.get(chunk)),
    );
    const [onlyChunk] = loadedChunks;
    if (loadedChunks.size === 1 && onlyChunk !== undefined) groups.set(file, onlyChunk);
  }
}
