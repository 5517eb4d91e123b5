import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planUpdate, type ModuleInfo } from '../../src/host/plan-update.ts';
import { orderModules } from '../../src/host/order-modules.ts';

/** Module graph: `a: 'b c'` imports b and c; `+` accepts itself, `(b)` accepts b, `*` has components. */
function modulesOf(shape: Record<string, string>): Map<string, ModuleInfo> {
  const read = (text: string): ModuleInfo => {
    const words = text.split(' ').filter((word) => word !== '');
    const acceptedDeps = words
      .filter((word) => word.startsWith('('))
      .map((word) => word.slice(1, -1));
    const imports = words
      .map((word) => word.replace(/[()]/g, ''))
      .filter((word) => word.includes('.'));
    const isRefreshBoundary = words.includes('*');
    const isSelfAccepting = isRefreshBoundary || words.includes('+');
    const hot = { isSelfAccepting, acceptedDeps, isRefreshBoundary };
    return { imports, hot: isSelfAccepting || acceptedDeps.length > 0 ? hot : undefined };
  };
  return new Map(Object.entries(shape).map(([path, text]) => [path, read(text)]));
}

function plan(shape: Record<string, string>, paths: string[], invalid: string[] = []) {
  const modules = modulesOf({ 'index.html': 'main.js', ...shape });
  return planUpdate(
    { page: 'index.html', find: (path) => modules.get(path) },
    { paths, styles: [], invalid, isModuleChanged: () => true },
  );
}

describe('an update plan', () => {
  it('ends at a self-accepting module', () => {
    expect(
      plan({ 'main.js': 'app.js', 'app.js': '+ lib.js', 'lib.js': 'deep.js', 'deep.js': '' }, [
        'deep.js',
      ]),
    ).toEqual({
      updates: [{ boundary: 'app.js', accepted: 'app.js' }],
      reloaded: ['deep.js', 'lib.js', 'app.js'],
      unreachable: [],
      styles: [],
    });
  });

  it('ends at a module that accepts its import, without loading that module again', () => {
    expect(
      plan({ 'main.js': '(lib.js)', 'lib.js': 'deep.js', 'deep.js': '' }, ['deep.js']),
    ).toEqual({
      updates: [{ boundary: 'main.js', accepted: 'lib.js' }],
      reloaded: ['deep.js', 'lib.js'],
      unreachable: [],
      styles: [],
    });
  });

  it.each([
    ['nobody accepts', { 'main.js': 'lib.js', 'lib.js': '' }, ['lib.js']],
    [
      'one of two ways up has no boundary',
      { 'main.js': 'a.js lib.js', 'a.js': '+ lib.js', 'lib.js': '' },
      ['lib.js'],
    ],
    ['the page itself changed', { 'main.js': '+' }, ['index.html']],
    ['a module is not known', { 'main.js': 'app.js', 'app.js': '+ lib.ts' }, ['app.js']],
    [
      'a circular import would keep the old module',
      { 'main.js': 'a.js', 'a.js': '+ b.js', 'b.js': 'a.js' },
      ['a.js'],
    ],
  ])('is undefined if %s', (_, shape, paths) => {
    expect(plan(shape as unknown as Record<string, string>, paths)).toBe(undefined);
  });

  it('passes a circular import of components, which refresh in place', () => {
    const circle = { 'main.js': 'a.js', 'a.js': '* b.js', 'b.js': '* a.js' };
    expect(plan(circle, ['a.js'])?.updates).toEqual([{ boundary: 'a.js', accepted: 'a.js' }]);
  });

  it('lists files that no import reaches', () => {
    expect(plan({ 'main.js': '+', 'test.js': 'main.js' }, ['test.js', 'main.js'])).toMatchObject({
      updates: [{ boundary: 'main.js', accepted: 'main.js' }],
      unreachable: ['test.js'],
    });
  });

  it('continues above a module that called invalidate', () => {
    const shape = { 'main.js': '+ app.js', 'app.js': '+' };
    expect(plan(shape, [], ['app.js'])).toMatchObject({
      updates: [{ boundary: 'main.js', accepted: 'main.js' }],
      reloaded: ['main.js'],
    });
    expect(plan({ 'main.js': 'app.js', 'app.js': '+' }, [], ['app.js'])).toBe(undefined);
  });
});

/**
 * Model of a page: each URL is loaded once and bound to the instances of its imports at
 * that time. A binding changes only if the instance accepts the import.
 */
interface Instance {
  id: string;
  text: number;
  bound: Map<string, Instance>;
}

function instancesBelow(from: Instance): Set<Instance> {
  const found = new Set<Instance>();
  const open = [from];
  for (let at = open.pop(); at; at = open.pop())
    for (const bound of at.bound.values()) {
      if (found.has(bound)) continue;
      found.add(bound);
      open.push(bound);
    }
  return found;
}

const names = ['main.js', 'a.js', 'b.js', 'c.js', 'd.js', 'e.js'];
const moduleArbitrary = fc.record({
  imports: fc.subarray(names.slice(1)),
  accepts: fc.subarray(names.slice(1)),
  self: fc.boolean(),
});

it('never leaves a module bound to a replaced one, whatever is edited', () => {
  fc.assert(
    fc.property(
      fc.tuple(...names.map(() => moduleArbitrary)),
      fc.array(fc.subarray(names, { minLength: 1 }), { maxLength: 8 }),
      (shapes, edits) => {
        const modules = new Map<string, ModuleInfo>(
          shapes.map(({ imports, accepts, self }, index) => {
            const acceptedDeps = accepts.filter((id) => imports.includes(id));
            const hot = { isSelfAccepting: self, acceptedDeps, isRefreshBoundary: false };
            const isAccepting = self || acceptedDeps.length > 0;
            return [names[index] ?? '', { imports, hot: isAccepting ? hot : undefined }];
          }),
        );
        modules.set('index.html', { imports: ['main.js'], hot: undefined });
        const texts = new Map(names.map((name) => [name, 0]));
        let stamps = new Map<string, number>();
        let loaded = new Map<string, Instance>();
        let newest = new Map<string, Instance>();
        const load = (id: string): Instance => {
          const address = `${id}?${stamps.get(id) ?? ''}`;
          const there = loaded.get(address);
          if (there) return there;
          const made: Instance = { id, text: texts.get(id) ?? 0, bound: new Map() };
          loaded.set(address, made);
          newest.set(id, made);
          for (const imported of modules.get(id)?.imports ?? [])
            made.bound.set(imported, load(imported));
          return made;
        };
        const reload = () => {
          [stamps, loaded, newest] = [new Map(), new Map(), new Map()];
          load('main.js');
        };
        reload();
        for (const [index, paths] of edits.entries()) {
          for (const path of paths) texts.set(path, index + 1);
          const found = planUpdate(
            { page: 'index.html', find: (path) => modules.get(path) },
            { paths, styles: [], invalid: [], isModuleChanged: () => true },
          );
          if (!found) {
            reload();
            continue;
          }
          for (const id of found.reloaded) stamps.set(id, index + 1);
          for (const { boundary, accepted } of found.updates) {
            const instance = load(accepted);
            if (boundary !== accepted) newest.get(boundary)?.bound.set(accepted, instance);
          }
        }
        for (const [id, instance] of newest) {
          expect([id, instance.text]).toEqual([id, texts.get(id)]);
          const below = [...instancesBelow(instance)].filter((other) => other.id === id);
          expect(below.every((other) => other === instance)).toBe(true);
          for (const [imported, bound] of instance.bound)
            if (!modules.get(imported)?.hot?.isSelfAccepting)
              expect(bound).toBe(newest.get(imported));
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

describe('module order', () => {
  const importsOf = (shape: Record<string, string>) => (id: string) =>
    (shape[id] ?? '').split(' ').filter((word) => word !== '');
  it('puts imported modules first', () => {
    const shape = { 'a.js': 'b.js c.js other.js', 'b.js': 'c.js' };
    expect(orderModules(new Set(['a.js', 'b.js', 'c.js']), importsOf(shape))).toEqual([
      'c.js',
      'b.js',
      'a.js',
    ]);
  });
  it('is undefined for a circular import', () => {
    expect(
      orderModules(new Set(['a.js', 'b.js']), importsOf({ 'a.js': 'b.js', 'b.js': 'a.js' })),
    ).toBe(undefined);
  });
});
