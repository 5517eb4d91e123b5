import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  privateDependenciesMin,
  findPackageGroups,
  findReachable,
  reverseGraph,
} from '../src/lockfile/package-groups.ts';
import { connectGroups, findSharedGroups } from '../src/lockfile/shared-groups.ts';

const none: ReadonlySet<string> = new Set();
const graphOf = (imports: Record<string, readonly string[]>) => new Map(Object.entries(imports));
const list = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => `${name}${String(index).padStart(2, '0')}`);
const many = list(privateDependenciesMin + 1, 'part');

/** Lists shared groups as 'ROOT of SHARING ROOTS: NUMBER OF PRIVATE DEPENDENCIES'. */
function describeSharedGroups(
  imports: Record<string, readonly string[]>,
  publicPackages: readonly string[],
  singletons = none,
) {
  const found = findSharedGroups(
    graphOf(imports),
    new Set([...publicPackages, ...singletons]),
    singletons,
    new Map(),
  );
  return [...found].map(
    ([root, { privateDependencies, sharedBy }]) =>
      `${root} of ${sharedBy?.join()}: ${privateDependencies.length}`,
  );
}

describe('a shared group', () => {
  test('contains what several roots share, and the little that one of them reaches alone', () => {
    expect(describeSharedGroups({ a: many, b: many }, ['a', 'b'])).toEqual(['part00 of a,b: 12']);
    const imports = { a: [...many, 'small'], b: many, small: ['smaller'] };
    expect(describeSharedGroups(imports, ['a', 'b'])).toEqual(['part00 of a,b: 14']);
  });

  test("doesn't exist when the roots, or any two of them, share only a little", () => {
    expect(describeSharedGroups({ a: many.slice(1), b: many.slice(1) }, ['a', 'b'])).toEqual([]);
    const [ofTwo, ofOthers] = [many.slice(0, 5), list(9, 'other')];
    expect(describeSharedGroups({ a: [...ofTwo, ...ofOthers], b: ofTwo }, ['a', 'b'])).toEqual([]);
    expect(describeSharedGroups({ a: many, b: [], c: many }, ['a', 'b', 'c'])).toEqual([
      'part00 of a,c: 12',
    ]);
  });

  test('connects roots through others, and leaves out what an unrelated root reaches too', () => {
    const first = list(6, 'first');
    const second = list(8, 'second');
    const imports = { a: first, b: [...first, ...second], c: second, stranger: ['second00'] };
    expect(describeSharedGroups(imports, ['a', 'b', 'c', 'stranger'])).toEqual([
      'first00 of a,b,c: 12',
    ]);
  });

  test('contains no package that imports the group again through others', () => {
    const imports = { a: [...many, 'way'], b: many, way: ['b'] };
    expect(describeSharedGroups(imports, ['a', 'b'])).toEqual(['part00 of a,b: 12']);
    expect(describeSharedGroups({ ...imports, part03: ['way'] }, ['a', 'b'])).toEqual([]);
  });

  test("doesn't import another shared group that imports it again", () => {
    const [p, q] = [list(14, 'p'), list(14, 'q')];
    // No package of p reaches itself, but one of p reaches q's group, and one of q reaches p's.
    const ways = { p00: ['x'], x: q.slice(2), q01: ['y'], y: p.slice(2) };
    expect(
      describeSharedGroups({ a: p, b: p, c: q, d: q, ...ways }, ['a', 'b', 'c', 'd', 'x', 'y']),
    ).toEqual(['p00 of a,b,y: 13', 'q00 of c,d,x: 12']);
  });

  test('contains nothing that React, Vue, … reach', () => {
    const imports = { a: many, b: many, react: many.slice(1) };
    expect(describeSharedGroups(imports, ['a', 'b'], new Set(['react']))).toEqual([]);
    expect(
      describeSharedGroups({ ...imports, react: [] }, ['a', 'b'], new Set(['react'])),
    ).toHaveLength(1);
  });

  test('has a package with modules as root', () => {
    const imports = { a: ['@types/x', ...many], b: many };
    expect(describeSharedGroups(imports, ['a', 'b'])).toEqual(['part00 of a,b: 13']);
  });

  test('creates no cycle in any graph, and is imported only by the roots that share it', () => {
    const nodes = list(48, 'n');
    const edges = fc.array(fc.tuple(fc.constantFrom(...nodes), fc.constantFrom(...nodes)), {
      minLength: 50,
      maxLength: 90,
    });
    const roots = fc.uniqueArray(fc.constantFrom(...nodes), { minLength: 2, maxLength: 5 });
    let count = 0;
    fc.assert(
      fc.property(edges, roots, (pairs, publicPackages) => {
        const graph = new Map(
          nodes.map((node) => [node, pairs.filter(([from]) => from === node).map(([, to]) => to)]),
        );
        const singletons = new Set(publicPackages.slice(4));
        const singleRootGroups = findPackageGroups(graph, new Set(publicPackages), singletons);
        const shared = findSharedGroups(
          graph,
          new Set(publicPackages),
          singletons,
          singleRootGroups,
        );
        const groups = new Map([...singleRootGroups, ...shared]);
        const members = [...groups].flatMap(([root, { privateDependencies }]) => [
          root,
          ...privateDependencies,
        ]);
        expect(new Set(members).size).toBe(members.length);
        count += shared.size;
        const connected = connectGroups(graph, groups);
        for (const [root, { privateDependencies, sharedBy = [] }] of shared) {
          const group = new Set([root, ...privateDependencies]);
          expect([...group].filter((item) => publicPackages.includes(item))).toEqual([]);
          const outside = [...group].flatMap((item) => graph.get(item) ?? []);
          const beyond = findReachable(
            connected,
            outside.filter((item) => !group.has(item)),
          );
          expect([...beyond].filter((item) => group.has(item))).toEqual([]);
          const users = findReachable(reverseGraph(graph), group);
          const direct = publicPackages.filter((item) => users.has(item));
          for (const item of sharedBy) expect(direct).toContain(item);
          for (const item of singletons) expect(sharedBy).not.toContain(item);
        }
      }),
      { numRuns: 300, seed: 20261122 },
    );
    expect(count).toBeGreaterThan(20);
  });
});
