import { expect, it } from 'vitest';
import { compileModule } from '../src/compile-module.ts';
import { compilePage } from '../src/page/compile-page.ts';
import {
  createModuleContext,
  createPositionMapper,
  needsCompiling,
  readProjectConfig,
  renameImports,
} from '../src/index.ts';
import { transformTyped } from './transform-typed.ts';

function compile(path: string, files: Record<string, string>) {
  const config = readProjectConfig(new Map(Object.entries(files)));
  const context = createModuleContext(config, { origin: 'http://app', fullExportUrls: new Set() });
  const source = { path, text: files[path] ?? '' };
  return compileModule(source, context, transformTyped(source, context));
}

const around = { 'a.js': '', 'lib/b.ts': '', 'c.json': '{}' };

it.each([
  ['import.meta.hot.accept()', { isSelfAccepting: true, acceptedDeps: [] }],
  ['import.meta.hot?.accept((next) => {})', { isSelfAccepting: true, acceptedDeps: [] }],
  [
    'if (import.meta.hot) { import.meta.hot.accept(take) }',
    { isSelfAccepting: true, acceptedDeps: [] },
  ],
  [
    `import.meta.hot.accept('./a.js', () => {})`,
    { isSelfAccepting: false, acceptedDeps: ['a.js'] },
  ],
  ['import.meta.hot.accept(`./a.js`)', { isSelfAccepting: false, acceptedDeps: ['a.js'] }],
  [
    `import.meta.hot.accept([ "./a.js", './lib/b', './c.json', ], () => {})`,
    { isSelfAccepting: false, acceptedDeps: ['a.js', 'lib/b.ts', 'c.json?module'] },
  ],
  [
    `import.meta.hot.accept('./a.js'); import.meta.hot.accept()`,
    { isSelfAccepting: true, acceptedDeps: ['a.js'] },
  ],
])('finds the updates accepted by %s', (text, expected) => {
  const { hot, code } = compile('main.js', { ...around, 'main.js': text });
  expect(hot).toEqual({ ...expected, isRefreshBoundary: false });
  expect(code).toMatch(/^import\.meta\.hot = globalThis\.__vitrine\?\.hot\("main\.js"\); /);
  for (const id of expected.acceptedDeps) expect(code).toContain(JSON.stringify(id));
});

it.each([
  'import.meta.hot.dispose(() => {})',
  `// import.meta.hot.accept()`,
  `const text = 'import.meta.hot.accept()';`,
  `import.meta.hot.accept('./gone.js', () => {})`,
])('finds no accepted updates in %s', (text) => {
  expect(compile('main.js', { ...around, 'main.js': text }).hot).toBe(undefined);
});

it('lists imported modules by resolved id', () => {
  const text = `import './a.js'; export * from './lib/b'; import c from './c.json';
import d from './c.json' with { type: 'json' }; import('./a.js'); import raw from './a.js?raw'; import 'three';`;
  expect(compile('main.js', { ...around, 'main.js': text }).imports).toEqual([
    'a.js',
    'lib/b.ts',
    'c.json?module',
    'c.json',
    'a.js?raw',
  ]);
});

it('lists the scripts that a page loads and imports', () => {
  const config = readProjectConfig(new Map(Object.entries(around)));
  const context = createModuleContext(config, { origin: 'http://app', fullExportUrls: new Set() });
  const text = `<script src="/a.js"></script><script type="module">import './lib/b.js'</script>`;
  expect(compilePage({ path: 'index.html', text }, context).imports).toEqual(['a.js', 'lib/b.ts']);
});

it('maps positions of a plain script after the code inserted into its first line', () => {
  const { code = '', map } = compile('a.js', { 'a.js': 'import.meta.hot.accept(); throw 1;' });
  const find = createPositionMapper(map?.mappings ?? '');
  expect(find({ line: 1, column: code.indexOf('throw') + 1 })).toEqual({ line: 1, column: 27 });
});

it('keeps a hashbang on the first line', () => {
  const { code } = compile('a.js', { 'a.js': '#!/usr/bin/env node\nimport.meta.hot.accept()' });
  expect(code).toMatch(/^#!\/usr\/bin\/env node\nimport\.meta\.hot = /);
});

const component = 'export function App() { return <b>{1}</b>; }';
const react = { 'package.json': '{"dependencies":{"react":"19"}}' };

it('accepts updates of a module with components, and refreshes them in place', () => {
  const { hot, code } = compile('App.tsx', { ...react, 'App.tsx': component });
  expect(hot).toEqual({ isSelfAccepting: true, acceptedDeps: [], isRefreshBoundary: true });
  expect(code).toContain('$RefreshReg$(_c, "App")');
  expect(code).toMatch(/acceptComponents\("App\.tsx", \(\) => import\(import\.meta\.url\)\);\n$/);
});

it.each([
  ['without React or Preact', {}, component],
  ['that shows itself', react, component.replace('export ', '')],
  ['of hooks only', react, `import { useRef } from 'react'; export const useX = () => useRef(1);`],
])('does not accept a module %s', (_, files, text) => {
  const { hot, code } = compile('App.tsx', { ...files, 'App.tsx': text });
  expect(hot).toBe(undefined);
  expect(code).not.toContain('acceptComponents');
});

it('passes the project’s own Preact to modules with components', () => {
  const files = {
    'package.json': '{"dependencies":{"preact":"10"}}',
    'package-lock.json': JSON.stringify({
      lockfileVersion: 3,
      packages: {
        '': { dependencies: { preact: '10' } },
        'node_modules/preact': { version: '10.29.0', integrity: `sha512-${'a'.repeat(86)}==` },
      },
    }),
    'App.tsx': component,
  };
  expect(compile('App.tsx', files).code).toMatch(
    /import \* as \$preact from "http:\/\/app\/npm\/preact@10\.29\.0~[a-z2-7]{16}"; .*components\("App\.tsx", \$preact\)/,
  );
});

it('compiles plain scripts that use the HMR API, and no others', () => {
  const context = { exists: () => true, mapped: [], bundles: [] };
  const needs = (text: string) => needsCompiling({ path: 'a.js', text }, context);
  expect(needs('import.meta.hot.accept()')).toBe(true);
  expect(needs('import.meta.url')).toBe(false);
});

it('renames imports of the project’s modules only', () => {
  const code = `import './a.js'; import x from "/c.json?module"; import 'http://app/npm/three'; import('../b.js')`;
  const ids: string[] = [];
  const renamed = renameImports('src/main.js', code, (id) => {
    ids.push(id);
    return id === 'src/a.js' ? '/src/a.js?t=1' : undefined;
  });
  expect(ids).toEqual(['src/a.js', 'c.json?module', 'b.js']);
  expect(renamed).toBe(code.replace('./a.js', '/src/a.js?t=1'));
});
