import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSameProjectConfig, mayChangeProjectConfig, readProjectConfig } from '@vitrine/compiler';

const text = fc.constantFrom(
  '',
  'export {}',
  '<script type="importmap">{"imports":{"a":"/a.js"}}</script>',
  '<script type="importmap">{"imports":{"b/":"/b/"}}</script>',
  '{"dependencies":{"preact":"10"}}',
  '{"compilerOptions":{"jsx":"react"}}',
);
const path = fc.constantFrom(
  'index.html',
  'about.html',
  'main.js',
  'package.json',
  'tsconfig.json',
  'package-lock.json',
);
const project = fc
  .array(fc.tuple(path, text))
  .map((files): ReadonlyMap<string, string> => new Map(files));

it('the config stays the same unless a change may change it', () => {
  fc.assert(
    fc.property(project, project, (before, after) => {
      const changed = new Map([...after].filter(([path, text]) => before.get(path) !== text));
      const removed = [...before.keys()].filter((path) => !after.has(path));
      if (mayChangeProjectConfig(before, changed, removed)) return;
      expect(isSameProjectConfig(readProjectConfig(before), readProjectConfig(after))).toBe(true);
    }),
  );
});

it('edits of other files change no config', () => {
  const before = new Map([
    ['index.html', '<p>One</p>'],
    ['main.js', '1'],
    ['package.json', '{}'],
  ]);
  const changed = new Map([
    ['main.js', '2'],
    ['index.html', '<p>Two</p>'],
  ]);
  expect(mayChangeProjectConfig(before, changed, [])).toBe(false);
});

describe('PT-03 a config file that is made to take long', () => {
  const mebibyte = (part: string) => part.repeat(Math.floor(2 ** 20 / part.length));
  const deep = `${'{"default":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
  it.each([
    ['rollup.config.js', mebibyte('input: ')],
    ['rollup.config.js', mebibyte("input: 'a', file: 'b',")],
    ['vite.config.js', mebibyte('resolve: { alias: {')],
    ['vite.config.js', mebibyte('/*')],
    ['tsconfig.json', mebibyte('[')],
    ['package.json', `{"imports":{"#a":${deep}}}`],
    ['package-lock.json', deep],
    ['index.html', mebibyte('<script type=importmap>{')],
    ['.env', mebibyte('A=${A}\n')],
  ])('is read in linear time: %s', (path, text) => {
    const before = process.cpuUsage();
    readProjectConfig(new Map([[path, text]]));
    const { user } = process.cpuUsage(before);
    // Hundreds of milliseconds; quadratic work takes minutes.
    expect(user / 1_000).toBeLessThan(5_000);
  });
});
