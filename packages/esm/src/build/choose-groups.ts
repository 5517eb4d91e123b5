/**
 * Which files of a build are joined. What may stand in one file: sets that hold all that their members
 * import (but for what was joined before), for joining any other could make a circle.
 */
import { packageNameOf } from '@vitrine/project';
import type { Metafile } from 'esbuild';
import { importGraph, loadedBy, type ImportGraph } from './merge-chunks.ts';

/** Chunks that one entry may need beside itself. */
const maxChunks = 6;
/** A package whose harmless entries together are smaller than this is one file: loading all costs little. */
const maxWholeBytes = 600_000;
/** An entry no larger than this only hands on what chunks hold. */
const thinBytes = 4_000;

/**
 * File → the name of the file that it becomes a part of. `entries` are the files at the package's
 * addresses, main first; of these only `harmless` ones, which do nothing as they are loaded and import
 * no package that may be absent, may be loaded without being asked for.
 */
export function chooseGroups(
  metafile: Metafile,
  entries: readonly string[],
  { harmless: found, required }: { harmless: ReadonlySet<string>; required: ReadonlySet<string> },
): Map<string, string> {
  const graph = importGraph(metafile);
  const harmless = new Set(
    [...found].filter((file) =>
      needsNothingMore(metafile, graph, entries[0] ?? '', file, required),
    ),
  );
  const bytes = (file: string) => metafile.outputs[file]?.bytes ?? 0;
  const roots = new Set([...entries, ...lazyRoots(metafile, entries)]);
  const ofMain = loadedBy(graph, entries[0] ?? '').filter((file) => !roots.has(file));
  const whole = new Set([...[...harmless].flatMap((file) => loadedBy(graph, file)), ...ofMain]);
  const total = [...whole].reduce((sum, file) => sum + bytes(file), 0);
  const isSmall = harmless.size > 1 && whole.size > 2 && total <= maxWholeBytes;
  const groups = new Map(isSmall ? [...whole].map((file) => [file, '~1.js']) : []);
  joinByEntry(graph, roots, groups);
  joinThin(
    graph,
    groups,
    [...harmless].filter((file) => bytes(file) <= thinBytes),
  );
  return groups;
}

/** Whether all packages that a file loads are `required`, or loaded by the main module too. */
function needsNothingMore(
  metafile: Metafile,
  graph: ImportGraph,
  main: string,
  file: string,
  required: ReadonlySet<string>,
): boolean {
  const foreign = (from: string) =>
    loadedBy(graph, from)
      .flatMap((at) => metafile.outputs[at]?.imports ?? [])
      .filter((item) => item.external === true && item.kind === 'import-statement')
      .map((item) => /^vitrine-package(?:\?require)?:(.*)$/.exec(item.path)?.[1])
      .filter((specifier) => specifier !== undefined);
  const ofMain = new Set(foreign(main));
  return foreign(file).every(
    (specifier) =>
      ofMain.has(specifier) ||
      specifier.startsWith('node:') ||
      required.has(packageNameOf(specifier) ?? specifier),
  );
}

/** What the main module loads; then, for any entry that still needs too many, what is left of its own. */
function joinByEntry(
  graph: ImportGraph,
  roots: ReadonlySet<string>,
  groups: Map<string, string>,
): void {
  let count = new Set(groups.values()).size;
  for (const root of roots) {
    const chunks = loadedBy(graph, root).filter((file) => !roots.has(file));
    if (new Set(chunks.map((file) => groups.get(file) ?? file)).size <= maxChunks) continue;
    count += 1;
    for (const chunk of chunks) if (!groups.has(chunk)) groups.set(chunk, `~${count}.js`);
  }
}

/** Entries that load one joined file and nothing else become parts of it. */
function joinThin(graph: ImportGraph, groups: Map<string, string>, thin: readonly string[]): void {
  for (const file of thin) {
    const loaded = loadedBy(graph, file).slice(0, -1);
    const places = new Set(loaded.map((chunk) => groups.get(chunk)));
    const [place] = places;
    if (places.size === 1 && place !== undefined) groups.set(file, place);
  }
}

/** Files that are imported only while running, by `import()`. */
function lazyRoots(metafile: Metafile, entries: readonly string[]): string[] {
  return Object.entries(metafile.outputs)
    .filter(([file, { entryPoint }]) => entryPoint !== undefined && file.endsWith('.js'))
    .map(([file]) => file)
    .filter((file) => !entries.includes(file));
}
