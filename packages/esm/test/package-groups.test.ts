import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseLockfile } from '../src/lockfile/lockfile.ts';
import {
  privateDependenciesMin,
  findPackageGroups,
  findRootPackages,
} from '../src/lockfile/package-groups.ts';
import {
  computeResolutions,
  computePackageUrls,
  resolveTarget,
  computeUngroupedPackageUrls,
} from '../src/lockfile/resolution-hash.ts';

const graphOf = (imports: Record<string, readonly string[]>) => new Map(Object.entries(imports));

describe('the root of a package is', () => {
  test('the only root that reaches it', () => {
    const rootByPackage = findRootPackages(
      graphOf({ a: ['b'], b: ['c'], x: [], c: [] }),
      new Set(['a', 'x']),
    );
    expect(Object.fromEntries(rootByPackage)).toEqual({ a: 'a', b: 'a', c: 'a', x: 'x' });
  });

  test('the package itself when two roots share it, and then also the root of what only it reaches', () => {
    const graph = graphOf({ a: ['m'], b: ['n'], m: ['s'], n: ['s'], s: ['t'] });
    const rootByPackage = findRootPackages(graph, new Set(['a', 'b']));
    expect([...rootByPackage].map((pair) => pair.join(' of ')).toSorted()).toEqual([
      'a of a',
      'b of b',
      'm of a',
      'n of b',
      's of s',
      't of s',
    ]);
  });

  test('unique in every graph, and each root that was not named is shared by two', () => {
    const nodes = Array.from({ length: 9 }, (_, index) => String(index));
    const edges = fc.array(fc.tuple(fc.constantFrom(...nodes), fc.constantFrom(...nodes)), {
      maxLength: 24,
    });
    fc.assert(
      fc.property(
        edges,
        fc.uniqueArray(fc.constantFrom(...nodes), { minLength: 1, maxLength: 3 }),
        (list, publicPackages) => {
          const graph = new Map(
            nodes.map((node) => [node, list.filter(([from]) => from === node).map(([, to]) => to)]),
          );
          const rootByPackage = findRootPackages(graph, new Set(publicPackages));
          const reachers = new Map<string, Set<string>>();
          for (const [from, to] of list) {
            const root = rootByPackage.get(from);
            if (root !== undefined) reachers.set(to, (reachers.get(to) ?? new Set()).add(root));
          }
          for (const [item, root] of rootByPackage) {
            const from = new Set([...(reachers.get(item) ?? [])].filter((head) => head !== item));
            if (item !== root) expect([...(reachers.get(item) ?? [])]).toEqual([root]);
            else if (!publicPackages.includes(item)) expect(from.size).toBeGreaterThan(1);
          }
          const reached = new Set(publicPackages);
          for (const item of reached) for (const next of graph.get(item) ?? []) reached.add(next);
          expect(new Set(rootByPackage.keys())).toEqual(reached);
        },
      ),
    );
  });
});

const many = Array.from({ length: privateDependenciesMin }, (_, index) => `part${index}`);

describe('a package group', () => {
  test('has enough private dependencies to save requests, and no singleton as root', () => {
    const graph = graphOf({
      a: many,
      b: many.slice(1).map((name) => `${name}-b`),
      once: many.map((name) => `${name}-c`),
    });
    expect([...findPackageGroups(graph, new Set(['a', 'b']), new Set(['once'])).keys()]).toEqual([
      'a',
    ]);
  });

  test('imports no package that imports it again', () => {
    const graph = new Map([
      ['a', ['b', ...many]],
      ['b', ['c']],
      ['c', ['a']],
    ]);
    expect(findPackageGroups(graph, new Set(['a', 'b', 'c']), new Set()).size).toBe(0);
    graph.set('c', []);
    expect(findPackageGroups(graph, new Set(['a', 'b', 'c']), new Set()).size).toBe(1);
  });
});

type Place = Record<string, unknown>;

function parseTestLockfile(root: Place, places: Record<string, Place>) {
  const packages: Record<string, Place> = { '': root };
  for (const [name, fields] of Object.entries(places)) {
    const integrity = `sha512-${'A'.repeat(86)}==`;
    packages[`node_modules/${name}`] = { version: '1.0.0', integrity, ...fields };
  }
  const lockfile = parseLockfile(JSON.stringify({ lockfileVersion: 3, packages }));
  if (lockfile === undefined) throw new Error('This lockfile was not parsed');
  return lockfile;
}

const dependenciesOn = (...names: string[]) => ({
  dependencies: Object.fromEntries(names.map((name) => [name, '1'])),
});
const leaves = Object.fromEntries(many.map((name) => [name, {}]));

describe('the URL', () => {
  const group = { head: dependenciesOn(...many), ...leaves };

  test('of a root depends on its private dependencies in this project', () => {
    const alone = parseTestLockfile(dependenciesOn('head'), group);
    const shared = parseTestLockfile(dependenciesOn('head', 'part3'), group);
    const addresses = [alone, shared].map((lockfile) =>
      computePackageUrls(lockfile, 'development').get('head'),
    );
    const ungrouped = [alone, shared].map((lockfile) =>
      computeUngroupedPackageUrls(lockfile, 'development').get('head'),
    );
    expect(ungrouped[0]).toBe(ungrouped[1]);
    // One private dependency less is too few for a group.
    expect(addresses[1]).toBe(ungrouped[1]);
    expect(addresses[0]).not.toBe(ungrouped[0]);
    expect(addresses[0]).toMatch(/^\/npm\/head@1\.0\.0~[a-z2-7]{16}$/);
  });

  test('of a package without private dependencies is the same in every project', () => {
    const small = { small: dependenciesOn('part0', 'part1'), ...leaves };
    const lockfile = parseTestLockfile(dependenciesOn('small'), small);
    const withOthers = parseTestLockfile(dependenciesOn('small', 'head'), { ...small, ...group });
    const [one, other] = [lockfile, withOthers].map((each) =>
      computePackageUrls(each, 'production').get('small'),
    );
    expect(one).toBe(other);
  });

  test('of a package that reaches a group depends on the members of the group', () => {
    const extra = { user: dependenciesOn('head'), ...group };
    const addresses = [dependenciesOn('user', 'head'), dependenciesOn('user', 'head', 'part0')].map(
      (root) => computePackageUrls(parseTestLockfile(root, extra), 'development').get('user'),
    );
    expect(addresses[0]).not.toBe(addresses[1]);
  });

  test('of a peer dependency is the same wherever it is imported', () => {
    const lockfile = parseTestLockfile(dependenciesOn('head', 'user'), {
      ...group,
      user: { peerDependencies: { part0: '*' } },
      more: {},
      head: dependenciesOn('more', ...many),
    });
    const resolutions = computeResolutions(lockfile, 'development');
    const head = [...resolutions.values()].find(
      (resolution) => resolution.family && resolution.name === 'head',
    );
    const privateDependencies = head?.family?.companions.map((target) => target.replace(/@.*/, ''));
    expect(privateDependencies?.toSorted()).toEqual([...many.slice(1), 'more'].toSorted());
    const part0 = head?.dependencies['part0'] ?? '';
    expect(resolveTarget(head?.family, part0)).toEqual({ target: part0, isPrivate: false });
    const part1 = head?.dependencies['part1'] ?? '';
    expect(resolveTarget(head?.family, part1)).toEqual({ target: part1, isPrivate: true });
  });

  test('of what two roots share is the same for both, and differs where others share it', () => {
    const shared = { ...leaves, more: {} };
    const places = {
      left: dependenciesOn('more', ...many),
      right: dependenciesOn('more', ...many),
      ...shared,
    };
    const findGroup = (root: Place, name: string) =>
      [...computeResolutions(parseTestLockfile(root, places), 'development').values()].find(
        (resolution) => resolution.family && resolution.name === name,
      )?.family;
    const root = dependenciesOn('left', 'right');
    const [left, right] = ['left', 'right'].map((name) => findGroup(root, name));
    const listMoreTargets = (group: typeof left) =>
      Object.values(group?.moved ?? {}).filter((to) => to.startsWith('more@'));
    const served = listMoreTargets(left);
    expect(served).toEqual(listMoreTargets(right));
    expect(left?.shared).toBe(right?.shared);
    expect(served.filter((to) => to.includes('/-in/'))).toHaveLength(many.length);
    expect(served).toHaveLength(many.length + 1);
    expect(findGroup(root, 'more')?.sharedBy?.map((to) => to.replace(/@.*/, ''))).toEqual([
      'left',
      'right',
    ]);
    const other = { ...places, third: dependenciesOn(...many) };
    const resolutions = computeResolutions(
      parseTestLockfile(dependenciesOn('left', 'right', 'third'), other),
      'development',
    );
    const withThird = [...resolutions.values()].find(
      (resolution) => resolution.family && resolution.name === 'left',
    );
    expect(withThird?.family?.shared).toMatch(/^more@/);
    expect(withThird?.family?.shared).not.toBe(left?.shared);
  });

  test("in a resolution is that of the project's own package", () => {
    const lockfile = parseTestLockfile(dependenciesOn('user', 'head'), {
      user: dependenciesOn('head', 'between'),
      between: dependenciesOn('head'),
      ...group,
    });
    const resolutions = computeResolutions(lockfile, 'development');
    const target = (computePackageUrls(lockfile, 'development').get('head') ?? '').slice(
      '/npm/'.length,
    );
    for (const name of ['user', 'between']) {
      const resolution = [...resolutions.values()].find(
        (each) => each.family && each.name === name,
      );
      expect(
        resolveTarget(resolution?.family, resolution?.dependencies['head'] ?? '').target,
        name,
      ).toBe(target);
    }
  });
});
