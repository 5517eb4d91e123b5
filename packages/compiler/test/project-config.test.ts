import fc from 'fast-check';
import { expect, it } from 'vitest';
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
