import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  privateDependenciesMin,
  findPackageGroups,
  findReachable,
  reverseGraph,
} from '../src/package-groups.ts';
import { connectGroups, findSharedGroups } from '../src/shared-groups.ts';

const none: ReadonlySet<string> = new Set();
const graphOf = (imports: Record<string, readonly string[]>) => new Map(Object.entries(imports));
const list = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => `${name}${String(index).padStart(2, '0')}`);
const many = list(privateDependenciesMin + 1, 'part');

/**
 * Shared groups of the named packages, as 'ROOT of SHARING ROOTS: NUMBER OF PRIVATE DEPENDENCIES'.
 */
function tell(imports: Record<string, readonly string[]>, named: readonly string[], once = none) {
  const found = findSharedGroups(graphOf(imports), new Set([...named, ...once]), once, new Map());
  return [...found].map(
    ([root, { companions, sharedBy }]) => `${root} of ${sharedBy?.join()}: ${companions.length}`,
  );
}

describe('a shared group', () => {
  test('contains what several roots share, and the little that one of them reaches alone', () => {
    expect(tell({ a: many, b: many }, ['a', 'b'])).toEqual(['part00 of a,b: 12']);
    const imports = { a: [...many, 'small'], b: many, small: ['smaller'] };
    expect(tell(imports, ['a', 'b'])).toEqual(['part00 of a,b: 14']);
  });

  test("doesn't exist when the roots, or any two of them, share only a little", () => {
    expect(tell({ a: many.slice(1), b: many.slice(1) }, ['a', 'b'])).toEqual([]);
    const [ofTwo, ofOthers] = [many.slice(0, 5), list(9, 'other')];
    expect(tell({ a: [...ofTwo, ...ofOthers], b: ofTwo }, ['a', 'b'])).toEqual([]);
    expect(tell({ a: many, b: [], c: many }, ['a', 'b', 'c'])).toEqual(['part00 of a,c: 12']);
  });

  test('connects roots through others, and leaves out what an unrelated root reaches too', () => {
    const first = list(6, 'first');
    const second = list(8, 'second');
    const imports = { a: first, b: [...first, ...second], c: second, stranger: ['second00'] };
    expect(tell(imports, ['a', 'b', 'c', 'stranger'])).toEqual(['first00 of a,b,c: 12']);
  });

  test('contains no package that imports the group again through others', () => {
    const imports = { a: [...many, 'way'], b: many, way: ['b'] };
    expect(tell(imports, ['a', 'b'])).toEqual(['part00 of a,b: 12']);
    expect(tell({ ...imports, part03: ['way'] }, ['a', 'b'])).toEqual([]);
  });

  test("doesn't import another shared group that imports it again", () => {
    const [p, q] = [list(14, 'p'), list(14, 'q')];
    // No package of p reaches itself, but one of p reaches q's group, and one of q reaches p's.
    const ways = { p00: ['x'], x: q.slice(2), q01: ['y'], y: p.slice(2) };
    expect(tell({ a: p, b: p, c: q, d: q, ...ways }, ['a', 'b', 'c', 'd', 'x', 'y'])).toEqual([
      'p00 of a,b,y: 13',
      'q00 of c,d,x: 12',
    ]);
  });

  test('contains nothing that React, Vue, … reach', () => {
    const imports = { a: many, b: many, react: many.slice(1) };
    expect(tell(imports, ['a', 'b'], new Set(['react']))).toEqual([]);
    expect(tell({ ...imports, react: [] }, ['a', 'b'], new Set(['react']))).toHaveLength(1);
  });

  test('has a package with modules as root', () => {
    const imports = { a: ['@types/x', ...many], b: many };
    expect(tell(imports, ['a', 'b'])).toEqual(['part00 of a,b: 13']);
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
      fc.property(edges, roots, (pairs, named) => {
        const graph = new Map(
          nodes.map((node) => [node, pairs.filter(([from]) => from === node).map(([, to]) => to)]),
        );
        const once = new Set(named.slice(4));
        const own = findPackageGroups(graph, new Set(named), once);
        const shared = findSharedGroups(graph, new Set(named), once, own);
        const groups = new Map([...own, ...shared]);
        const members = [...groups].flatMap(([root, { companions }]) => [root, ...companions]);
        expect(new Set(members).size).toBe(members.length);
        count += shared.size;
        const bound = connectGroups(graph, groups);
        for (const [root, { companions, sharedBy = [] }] of shared) {
          const group = new Set([root, ...companions]);
          expect([...group].filter((item) => named.includes(item))).toEqual([]);
          const outside = [...group].flatMap((item) => graph.get(item) ?? []);
          const beyond = findReachable(
            bound,
            outside.filter((item) => !group.has(item)),
          );
          expect([...beyond].filter((item) => group.has(item))).toEqual([]);
          const users = findReachable(reverseGraph(graph), group);
          const direct = named.filter((item) => users.has(item));
          for (const item of sharedBy) expect(direct).toContain(item);
          for (const item of once) expect(sharedBy).not.toContain(item);
        }
      }),
      { numRuns: 300, seed: 20261122 },
    );
    expect(count).toBeGreaterThan(20);
  });
});
