/**
 * Which files of a build are joined. What may stand in one file: sets that hold all that their members
 * import (but for what was joined before), for joining any other could make a circle.
 *
 * Whoever loads a joined file loads what all its parts import. So parts that import something which
 * may be absent, or is made for servers, are joined only with others that the main module loads.
 */
import { packageNameOf } from '@vitrine/project/npm-lock';
import type { Metafile } from 'esbuild';
import { joinNeighbours } from './join-neighbours.ts';
import { importGraph, listHelpers, loadedBy, type ImportGraph } from './merge-chunks.ts';

/** Chunks that one entry may need beside itself; of a harmless one, if they are larger than this. */
const maxChunks = 6;
const smallBytes = 64_000;
/** A package whose harmless entries together are smaller than this is one file: loading all costs little. */
const maxWholeBytes = 600_000;
/** So many files, each a request, take longer than the whole of a package that is somewhat larger. */
const manyFiles = 40;
/** Beyond this, a list of everything (`three/addons`) is not joined: one of its parts would load all. */
const maxJoinedBytes = 1_200_000;
/**
 * Modules of other packages that entries import and the main module does not: whoever loads a joined
 * file loads what all of it imports. Where there are more, also for so many entries (a hundred
 * languages, each handed on from elsewhere), such entries are not joined.
 */
const maxMoreImports = 12;
const entriesPerImport = 4;
/** An entry no larger than this only hands on what chunks hold. */
const thinBytes = 4_000;

export interface GroupOptions {
  /** The files at the package's addresses, main first. */
  readonly entries: readonly string[];
  /** False for a package of subpaths alone (`@babel/runtime`), with a main module that is none too. */
  readonly hasMain: boolean;
  /** Entries that do nothing as they are loaded; those of them that people import by name. */
  readonly harmless: ReadonlySet<string>;
  readonly named: ReadonlySet<string>;
  /** Files that are joined with nothing, nor is what they load. */
  readonly apart: readonly string[];
  /** Packages that are surely there when this one is. */
  readonly required: ReadonlySet<string>;
}

interface Sizes {
  readonly graph: ImportGraph;
  /** What is joined with nothing: entries, files imported only while running, and what stands apart. */
  readonly roots: ReadonlySet<string>;
  /** Files that are joined with nothing, and what they load. */
  readonly apart: ReadonlySet<string>;
  bytes(files: Iterable<string>): number;
  /** The modules of other packages that it loads. */
  foreign(file: string): string[];
  /** Whether all that a file loads is surely there, and what is from elsewhere made for browsers. */
  isSafe(file: string): boolean;
}

/** File → the name of the file that it becomes a part of. */
export function chooseGroups(metafile: Metafile, options: GroupOptions): Map<string, string> {
  const sizes = measure(metafile, options);
  const quiet = [...options.harmless].filter((file) => options.named.has(file));
  const harmless = withoutManyImports(sizes, quiet.filter(sizes.isSafe), options);
  const groups = new Map<string, string>();
  joinSmall(sizes, harmless, options.entries[0] ?? '', groups);
  for (const root of sizes.roots) {
    const isMain = root === options.entries[0];
    joinForEntry(sizes, root, { isMain, isHarmless: quiet.includes(root) }, groups);
  }
  joinNeighbours(sizes, groups);
  joinThin(sizes, harmless, groups);
  return groups;
}

function measure(metafile: Metafile, options: GroupOptions): Sizes {
  const { entries, hasMain, required } = options;
  const helpers = listHelpers(metafile);
  const graph = new Map(
    [...importGraph(metafile)]
      .filter(([file]) => !helpers.has(file))
      .map(([file, imports]) => [file, imports.filter((next) => !helpers.has(next))]),
  );
  const apart = new Set(options.apart.flatMap((file) => loadedBy(graph, file)));
  const foreign = (from: string) =>
    loadedBy(graph, from)
      .flatMap((file) => metafile.outputs[file]?.imports ?? [])
      .filter((item) => item.external === true && item.kind === 'import-statement')
      .map((item) => item.path.replace(/^vitrine-package(?:\?require)?:/, ''))
      .filter((path) => !path.startsWith('vitrine-base:'));
  const [main = ''] = entries;
  const ofMain = new Set(foreign(main));
  const folders = new Set([...ofMain].flatMap((path) => findFolder(path) ?? []));
  const isSure = (path: string) => {
    if (!required.has(packageNameOf(path) ?? path)) return false;
    // A subpath of a required package may need more than its main module does.
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
    foreign,
    isSafe: (file) => foreign(file).every(isSure) && !loadsMissing(metafile, graph, file),
  };
}

/** Whether a file loads what its package imports and does not have, which throws as it is loaded. */
function loadsMissing({ outputs }: Metafile, graph: ImportGraph, from: string): boolean {
  const inputs = loadedBy(graph, from).flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}));
  return inputs.some((input) => input.startsWith('missing:'));
}

function withoutManyImports(
  { foreign }: Sizes,
  harmless: readonly string[],
  { entries, hasMain }: GroupOptions,
): readonly string[] {
  const ofMain = new Set(hasMain ? foreign(entries[0] ?? '') : []);
  const imports = (file: string) => foreign(file).filter((path) => !ofMain.has(path));
  const most = Math.max(maxMoreImports, harmless.length / entriesPerImport);
  if (new Set(harmless.flatMap(imports)).size <= most) return harmless;
  return harmless.filter((file) => imports(file).length === 0);
}

/** 'x/es/hooks/a' → 'x/es'; undefined for 'x' and 'x/a', which are names of their own. */
function findFolder(path: string): string | undefined {
  const name = packageNameOf(path);
  const [, folder, file] = name === undefined ? [] : path.slice(name.length).split('/');
  return folder === undefined || file === undefined ? undefined : `${name}/${folder}`;
}

/** All of a small package: its harmless entries, and what they and the main module load. */
function joinSmall(
  { graph, roots, apart, bytes, isSafe }: Sizes,
  harmless: readonly string[],
  main: string,
  groups: Map<string, string>,
): void {
  const ofMain = loadedBy(graph, main).filter((file) => !roots.has(file) && isSafe(file));
  // In the order in which the main module loads them: what it does first, others may rely on.
  const ofOthers = harmless.flatMap((file) => loadedBy(graph, file));
  const whole = new Set([...ofMain, ...ofOthers.filter((file) => !apart.has(file))]);
  const maxBytes = whole.size > manyFiles ? maxJoinedBytes : maxWholeBytes;
  if (harmless.length < 2 || whole.size < 3 || bytes(whole) > maxBytes) return;
  for (const file of whole) groups.set(file, '~1.js');
}

/** What an entry loads that is in no group yet, if it loads too many files. */
function joinForEntry(
  { graph, roots, bytes, isSafe }: Sizes,
  root: string,
  { isMain, isHarmless }: { isMain: boolean; isHarmless: boolean },
  groups: Map<string, string>,
): void {
  const chunks = loadedBy(graph, root).filter((file) => !roots.has(file));
  const files = new Set(chunks.map((file) => groups.get(file) ?? file));
  const isSmall = isHarmless && files.size > 1 && bytes(chunks) <= smallBytes;
  if (files.size <= maxChunks && !isSmall) return;
  const loose = chunks.filter((file) => !groups.has(file));
  const safe = loose.filter(isSafe);
  if (isMain || bytes(safe) <= maxJoinedBytes) join(safe, groups);
  if (isMain)
    join(
      loose.filter((file) => !isSafe(file)),
      groups,
    );
}

function join(files: readonly string[], groups: Map<string, string>): void {
  const name = `~${new Set(groups.values()).size + 1}.js`;
  for (const file of files) groups.set(file, name);
}

/** Entries that load one joined file and nothing else become parts of it. */
function joinThin(
  { graph, bytes }: Sizes,
  harmless: readonly string[],
  groups: Map<string, string>,
): void {
  for (const file of harmless) {
    if (bytes([file]) > thinBytes || groups.has(file)) continue;
    const places = new Set(
      loadedBy(graph, file)
        .slice(0, -1)
        .map((chunk) => groups.get(chunk)),
    );
    const [place] = places;
    if (places.size === 1 && place !== undefined) groups.set(file, place);
  }
}
