import { VitrineError } from '@vitrine/project';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPackageName } from '../src/lockfile/lockfile.ts';
import { parsePackageUrl } from '../src/package-url.ts';
import {
  parseSpec,
  parseProjectDependencies,
  type PackageSpec,
} from '../src/resolve/package-specs.ts';
import { fuzz } from './fuzz.ts';
import { cpuMs } from './package-server-fixture.ts';

/** Text that resembles URLs and package.json content, including attacks. */
const piece = fc.constantFrom(
  ...'@ / .. . %2e %2f %5c \\ ~ ^ > < = || * - _ : # ? & % npm: file: git+ssh: http:'.split(' '),
  ...'// @a/b react 1.2.3 19 latest abcdefghijklmnop -chunk -worker __proto__ é'.split(' '),
  ' ',
  '\0',
);
const oddText = fc.oneof(
  fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

test('PK-07: never parses an arbitrary URL as a path outside of its package', () => {
  fc.assert(
    fc.property(fc.constantFrom('', 'a@1.0.0~abcdefghijklmnop/'), oddText, (start, text) => {
      const address = parsePackageUrl(`/npm/${start}${text}`);
      if (address?.kind !== 'exact') return;
      expect(isPackageName(address.name)).toBe(true);
      const parts = address.path.replace(/^\.\/?/, '').split('/');
      if (address.path !== '.') expect(parts).not.toContain('');
      expect(parts).not.toContain('..');
      expect(address.path).not.toMatch(/\\|\0/);
    }),
    { numRuns: 3_000 * fuzz },
  );
});

test('PK-13, PK-14: parses an arbitrary dependency as a registry package or throws a known error', () => {
  fc.assert(
    fc.property(oddText, oddText, (name, wish) => {
      const start = cpuMs();
      try {
        const spec = parseSpec(name, wish);
        expect(isPackageName(spec.name)).toBe(true);
        expect(['version', 'range', 'tag']).toContain(spec.kind);
      } catch (error) {
        expect(error).toBeInstanceOf(VitrineError);
      }
      expect(cpuMs() - start).toBeLessThan(50);
    }),
    { numRuns: 3_000 * fuzz },
  );
});

test('PK-13: parses the dependencies of an arbitrary package.json or throws a known error', () => {
  fc.assert(
    fc.property(fc.json(), fc.json(), (dependencies, overrides) => {
      const manifest: unknown = JSON.parse(
        `{"dependencies":${dependencies},"overrides":${overrides}}`,
      );
      try {
        parseProjectDependencies(manifest);
      } catch (error) {
        expect(error).toBeInstanceOf(VitrineError);
      }
    }),
    { numRuns: 100 * fuzz },
  );
  expect(Object.keys(Object.prototype)).toEqual([]);
});

test('resolves an alias to the package that it names', () => {
  expect(parseSpec('three3', 'npm:three@^0.187.0')).toEqual<PackageSpec>({
    name: 'three',
    kind: 'range',
    fetchSpec: '^0.187.0',
  });
  expect(parseSpec('own', 'npm:@a/b')).toMatchObject({ name: '@a/b' });
  expect(() => parseSpec('a', 'npm:npm:b@1')).toThrow(VitrineError);
});
