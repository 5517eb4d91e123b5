import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isSameProjectConfig, readProjectConfig, updateProjectConfig } from '@vitrine/compiler';

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

it('an updated config matches the new files', () => {
  fc.assert(
    fc.property(project, project, (before, after) => {
      const renewed = updateProjectConfig(readProjectConfig(before), before, after);
      expect(isSameProjectConfig(renewed, readProjectConfig(after))).toBe(true);
    }),
  );
});

it('the config object stays the same when an irrelevant file is edited', () => {
  const before = new Map([
    ['index.html', '<p>One</p>'],
    ['main.js', '1'],
    ['package.json', '{}'],
  ]);
  const config = readProjectConfig(before);
  const after = new Map([...before, ['main.js', '2'], ['index.html', '<p>Two</p>']] as const);
  expect(updateProjectConfig(config, before, after)).toBe(config);
});
