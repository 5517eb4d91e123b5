import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeAdjacentChunks } from '../src/build/merge-adjacent-chunks.ts';

const root = 'all.js';
const name = (index: number) => `c${index}.js`;

/** Files, each of which imports some before it, and one entry that imports all. */
const builds = fc
  .array(fc.record({ imports: fc.array(fc.nat({ max: 200 })), isSafe: fc.boolean() }), {
    minLength: 1,
    maxLength: 60,
  })
  .map((files) => {
    const imports = files.map((file, index) =>
      index === 0 ? [] : file.imports.map((at) => name(at % index)),
    );
    const graph = new Map<string, string[]>(imports.map((list, at) => [name(at), list]));
    graph.set(root, files.map((_, index) => name(index)).toReversed());
    const unsafe = new Set(files.flatMap((file, at) => (file.isSafe ? [] : [name(at)])));
    return { graph, unsafe };
  });

/** Groups that assign each file to a chunk. */
function groupsOf(graph: ReadonlyMap<string, unknown>) {
  const files = [...graph.keys()].filter((file) => file !== root);
  return new Map(files.map((file, index) => [file, `~${index}.js`]));
}

test('reduces the chunks of an entry that lists everything to a dozen', () => {
  const graph = new Map(Array.from({ length: 40 }, (_, at) => [name(at), [] as string[]]));
  graph.set(root, [...graph.keys()]);
  const groups = groupsOf(graph);
  mergeAdjacentChunks(
    { graph, roots: new Set([root]), bytes: (files) => [...files].length, isSafe: () => true },
    groups,
  );
  expect(new Set(groups.values()).size).toBe(12);
});

test('creates no import cycles, and no chunk that others can make fail', () => {
  fc.assert(
    fc.property(builds, ({ graph, unsafe }) => {
      const groups = groupsOf(graph);
      mergeAdjacentChunks(
        {
          graph,
          roots: new Set([root]),
          bytes: (files) => [...files].length,
          isSafe: (file) => !unsafe.has(file),
        },
        groups,
      );
      for (const [group, files] of Map.groupBy(groups.keys(), (file) => groups.get(file) ?? '')) {
        expect(files.length === 1 || !files.some((file) => unsafe.has(file)), group).toBe(true);
      }
      expect(hasCircle(graph, groups)).toBe(false);
    }),
    { numRuns: 300 },
  );
});

function hasCircle(graph: ReadonlyMap<string, readonly string[]>, groups: Map<string, string>) {
  const of = (file: string) => groups.get(file) ?? file;
  const imports = new Map<string, Set<string>>();
  for (const [file, list] of graph) {
    const known = imports.get(of(file)) ?? new Set();
    for (const next of list) if (of(next) !== of(file)) known.add(of(next));
    imports.set(of(file), known);
  }
  // Removes what imports nothing of the rest, until nothing is removed.
  for (;;) {
    const free = [...imports].filter(([, list]) => [...list].every((next) => !imports.has(next)));
    if (free.length === 0) return imports.size > 0;
    for (const [file] of free) imports.delete(file);
  }
}
