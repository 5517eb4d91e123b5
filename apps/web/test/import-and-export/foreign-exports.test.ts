import { findErrorCode } from '@vitrine/project';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPosted } from '../../app/import/formats/posted.ts';
import { readImport } from '../../app/import/project-import.ts';
import { makeZip } from '@vitrine/testing/zip-archive';

/** Imports a zip with these files, or one file alone. Texts by path, and what was left out. */
async function importFiles(files: Readonly<Record<string, string | Uint8Array>>, name = 'a.zip') {
  const entries = Object.entries(files).map(([path, content]) => ({ name: path, content }));
  const bytes = name.endsWith('.zip') ? makeZip(entries) : Buffer.from(entries[0]?.content ?? '');
  const source = { entries: [], files: [new File([Uint8Array.from(bytes)], name)] };
  const imported = await readImport(source);
  const texts: Record<string, string> = {};
  for (const { path, file } of imported.files) texts[path] = await file.text();
  return { texts, leftOut: imported.leftOut, title: imported.title };
}

describe('a pen’s zip', () => {
  const page = (head: string, body: string, end: string) => `<!DOCTYPE html>
<html lang="en" class="dark">
<head>
  <meta charset="UTF-8">
  <title>CodePen - Birds</title>
  ${head}<link rel="stylesheet" href="./style.css">

</head>
<body>
<!-- partial:index.partial.html -->
${body}
<!-- partial -->
  ${end}<script  src="./script.js"></script>

</body>
</html>
`;

  test('opens with its sources, its head and the external resources', async () => {
    const { texts, leftOut, title } = await importFiles({
      'birds/src/index.html': '<h1>Birds</h1>',
      'birds/src/style.scss': 'h1 { &::after { content: "ü" } }',
      'birds/src/script.babel': 'ReactDOM.render(<b>Hi</b>, document.body);',
      'birds/dist/index.html': page(
        "<meta name=x><link rel='stylesheet' href='https://cdn.example/a.css'>",
        '<h1>Birds</h1>',
        "<script src='https://cdn.example/react.js'></script>",
      ),
      'birds/dist/style.css': 'h1::after {}',
      'birds/dist/script.js': 'compiled',
      'birds/license.txt': 'MIT',
      'birds/README.markdown': '# Birds',
    });
    expect(title).toBe('Birds');
    expect(leftOut).toEqual([]);
    expect(Object.keys(texts).sort()).toEqual([
      'README.markdown',
      'index.html',
      'license.txt',
      'script.jsx',
      'style.scss',
      'tsconfig.json',
    ]);
    expect(texts['index.html']).toBe(`<!DOCTYPE html>
<html lang="en" class="dark">
<head>
  <meta charset="UTF-8">
  <title>Birds</title>
  <meta name=x><link rel='stylesheet' href='https://cdn.example/a.css'><link rel="stylesheet" href="style.scss">

</head>
<body>
<h1>Birds</h1>
  <script src='https://cdn.example/react.js'></script><script src="script.jsx"></script>

</body>
</html>
`);
    expect(texts['script.jsx']).toContain('<b>Hi</b>');
    expect(JSON.parse(texts['tsconfig.json'] ?? '')).toEqual({ compilerOptions: { jsx: 'react' } });
  });

  test('has what Pug, Stylus and CoffeeScript were compiled to', async () => {
    const { texts, leftOut } = await importFiles({
      'src/index.pug': 'h1 Birds',
      'src/style.styl': 'h1\n  color red',
      'src/script.coffee': 'alert "a"',
      'dist/index.html': page('', '<h1>Birds</h1>', ''),
      'dist/style.css': 'h1 { color: red }',
      'dist/script.js': 'alert("a");',
    });
    expect(Object.keys(texts).sort()).toEqual(['index.html', 'script.js', 'style.css']);
    expect(texts['script.js']).toBe('alert("a");');
    expect(leftOut.map(({ path, reason }) => [path, reason])).toEqual([
      ['src/index.pug', 'compiled'],
      ['src/style.styl', 'compiled'],
      ['src/script.coffee', 'compiled'],
    ]);
  });

  test('with imports is a module with its packages', async () => {
    const { texts } = await importFiles({
      'src/index.html': '',
      'src/script.ts': 'import { a } from "three";\nimport b from "https://esm.sh/b";\n',
      'dist/index.html': page('', '', ''),
      'dist/script.js': '',
    });
    expect(texts['index.html']).toContain('<script type="module" src="script.ts">');
    expect(JSON.parse(texts['package.json'] ?? '')).toMatchObject({ dependencies: { three: '*' } });
  });

  test('with React of an address compiles JSX for that React', async () => {
    const code = 'import React from "https://esm.sh/react@18";\nconsole.log(<b>Hi</b>);\n';
    const files = {
      'src/index.html': '',
      'dist/index.html': page('', '', ''),
      'dist/script.js': '',
    };
    const { texts } = await importFiles({ ...files, 'src/script.babel': code });
    expect(texts['index.html']).toContain('<script type="module" src="script.jsx">');
    expect(JSON.parse(texts['tsconfig.json'] ?? '')).toEqual({ compilerOptions: { jsx: 'react' } });
    const ofPackage = await importFiles({
      ...files,
      'src/script.babel': code.replace('https://esm.sh/react@18', 'react'),
    });
    expect(Object.keys(ofPackage.texts).sort()).toEqual([
      'index.html',
      'package-lock.json',
      'package.json',
      'script.jsx',
      'style.css',
    ]);
  });

  test('is distinguished from a project with the same folders', async () => {
    const files = { 'dist/index.html': '<h1>Built</h1>', 'src/index.html': '<h1>Hi</h1>' };
    expect((await importFiles({ ...files, 'a.js': '' })).texts).toEqual({ ...files, 'a.js': '' });
  });
});

describe('a fiddle', () => {
  const files = {
    'demo.html': '<h1>Fiddle</h1>',
    'demo.css': 'h1 { color: red }',
    'demo.js': 'let a;',
    'demo.details': `name: Birds fly
description: Some
authors:
  - Ann
resources:
  - https://cdn.example/a.css
  - https://cdn.example/a.js
normalize_css: no
wrap: d
`,
  };

  test('as its files opens as a page with its resources', async () => {
    const { texts, leftOut, title } = await importFiles({ ...files, 'logo.txt': 'kept' });
    expect(title).toBe('Birds fly');
    expect(Object.keys(texts).sort()).toEqual(['index.html', 'logo.txt', 'script.js', 'style.css']);
    expect(texts['index.html']).toMatch(/href="https:\/\/cdn\.example\/a\.css"[^]*style\.css/);
    expect(texts['index.html']).toMatch(/<h1>Fiddle<\/h1>[^]*a\.js"[^]*script\.js/);
    expect(leftOut).toEqual([{ path: 'wrap: d', reason: 'settings' }]);
  });

  test('without details, or with ones that are none, opens all the same', async () => {
    const { 'demo.details': _, ...plain } = files;
    expect((await importFiles(plain)).texts['script.js']).toBe('let a;');
    const broken = await importFiles({ ...files, 'demo.details': 'resources:\n\u0000' });
    expect(broken.texts['index.html']).toContain('<h1>Fiddle</h1>');
  });

  test('as the page it is shown as, is taken apart', async () => {
    const page = `<!DOCTYPE html>
<html>
<head>
  <title>Birds</title>
  <script type="text/javascript" src="/js/lib/dummy.js"></script>
  <style id="compiled-css" type="text/css">
    h1 { color: red }
  </style>
</head>
<body>
  <h1>Fiddle</h1>
  <script type="text/javascript">//<![CDATA[
alert("a");
  //]]></script>
  <script>
    // tell the embed parent frame the height of the content
    if (window.parent) {}
  </script>
</body>
</html>
`;
    const { texts, title } = await importFiles({ 'fiddle.html': page }, 'fiddle.html');
    expect(title).toBe('Birds');
    expect(texts['script.js']).toBe('alert("a");\n');
    expect(texts['style.css']).toBe('h1 { color: red }\n');
    expect(texts['index.html']).not.toMatch(/CDATA|dummy|compiled|tell the embed/);
  });
});

describe('a bin', () => {
  const bin = `<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<title>JS Bin</title>
<style id="jsbin-css">
h1 { color: red }
</style>
</head>
<body>
<h1>Bin</h1>
<script id="jsbin-javascript">
document.write("<script><\\/script>");
</script>
SOURCES</body>
</html>
`;

  test('is taken apart', async () => {
    const source = `<script id="jsbin-source-css" type="text/css">h1 { color: red }</script>
<script id="jsbin-source-javascript" type="text/javascript">document.write("<script><\\/script>");</script>
`;
    for (const page of [bin.replace('SOURCES', ''), bin.replace('SOURCES', () => source)]) {
      const { texts, leftOut } = await importFiles({ 'jsbin.abc.html': page }, 'jsbin.abc.html');
      expect(Object.keys(texts).sort()).toEqual(['index.html', 'script.js', 'style.css']);
      expect(texts['style.css']).toBe('h1 { color: red }\n');
      expect(texts['index.html']).not.toContain('jsbin-');
      expect(texts['index.html']).toMatch(/href="style.css"[^]*<h1>Bin[^]*src="script.js"/);
      expect(leftOut).toEqual([]);
    }
  });

  test('that was compiled says so', async () => {
    const source = `<script id="jsbin-source-javascript" type="text/coffeescript">document.write "a"</script>\n`;
    const page = bin.replace('SOURCES', () => source);
    const { leftOut } = await importFiles({ 'bin.html': page }, 'bin.html');
    expect(leftOut).toEqual([{ path: 'Source of javascript', reason: 'compiled' }]);
  });
});

describe('a sandbox', () => {
  test('of Parcel gets modules, and loses its settings', async () => {
    const { texts, leftOut } = await importFiles({
      'index.html': '<body><div id="app"></div><script src="src/index.js"></script></body>',
      'src/index.js': 'import "./styles.css";\n',
      'src/styles.css': 'b {}',
      'package.json': '{"devDependencies":{"parcel-bundler":"^1.6.1"}}',
      'sandbox.config.json': '{"template":"parcel"}',
      '.codesandbox/tasks.json': '{}',
    });
    expect(texts['index.html']).toContain('<script type="module" src="src/index.js">');
    expect(leftOut.map(({ path }) => path).sort()).toEqual([
      '.codesandbox/tasks.json',
      'sandbox.config.json',
    ]);
  });

  test('of create-react-app keeps its files', async () => {
    const files = {
      'public/index.html': '<div id="root"></div>',
      'src/index.js': 'import React from "react";',
      'package.json': '{"dependencies":{"react-scripts":"5.0.1"}}',
    };
    expect((await importFiles({ ...files, 'sandbox.config.json': '{}' })).texts).toEqual(files);
  });

  test('of Vue CLI gets the script and the values that webpack puts into its page', async () => {
    const { texts } = await importFiles({
      'public/index.html':
        '<title><%= htmlWebpackPlugin.options.title %></title><link rel="icon" href="<%= BASE_URL %>favicon.ico"><div id="app"></div>',
      'src/main.js': 'import Vue from "vue";',
      'package.json': '{"name":"a<b","dependencies":{"@vue/cli-service":"4","vue":"2.6"}}',
      'sandbox.config.json': '{}',
    });
    expect(texts['public/index.html']).toBe(
      '<title>a&lt;b</title><link rel="icon" href="/favicon.ico"><div id="app"></div><script type="module" src="/src/main.js"></script>\n',
    );
  });

  test('without a page gets one that starts its main file', async () => {
    const { texts } = await importFiles({
      'a.js': 'document.body.append("a")',
      'package.json': '{"main":"/a.js"}',
      'sandbox.config.json': '{}',
    });
    expect(texts['index.html']).toContain('<script type="module" src="/a.js">');
  });
});

describe('a StackBlitz project', () => {
  test('without a server gets the script that StackBlitz adds to its page', async () => {
    const { texts } = await importFiles({
      'index.html': '<div id="app"></div>\n',
      'index.ts': "import './style.css';\n",
      'style.css': 'b {}',
      'package.json': '{"name":"typescript-abc123","version":"0.0.0","private":true}',
    });
    expect(texts['index.html']).toContain('<script type="module" src="/index.ts">');
  });

  test('of Vite keeps its files, without .stackblitzrc', async () => {
    const files = {
      'index.html': '<script type="module" src="/src/main.js"></script>',
      'src/main.js': 'let a;',
      'vite.config.js': 'export default {}',
      'package.json': '{"scripts":{"dev":"vite"},"version":"0.0.0"}',
    };
    const { texts, leftOut } = await importFiles({ ...files, '.stackblitzrc': '{}' });
    expect(texts).toEqual(files);
    expect(leftOut).toEqual([{ path: '.stackblitzrc', reason: 'settings' }]);
  });
});

describe('a Glitch project', () => {
  test('with a server becomes its page', async () => {
    const { texts, leftOut } = await importFiles({
      'app/server.js': 'require("express")',
      'app/views/index.html':
        '<link rel="stylesheet" href="/style.css"><script src="/client.js"></script>',
      'app/public/style.css': 'b {}',
      'app/public/client.js': 'let a;',
      'app/package.json': '{"dependencies":{"express":"^4"}}',
      'app/.glitch-assets': '{"name":"a.png"}',
      'app/README.md': '# App',
    });
    expect(Object.keys(texts).sort()).toEqual([
      'README.md',
      'client.js',
      'index.html',
      'style.css',
    ]);
    expect(leftOut).toEqual([
      { path: 'server.js', reason: 'server' },
      { path: 'package.json', reason: 'server' },
      { path: '.glitch-assets', reason: 'settings' },
    ]);
  });

  test('of files keeps them', async () => {
    const files = { 'index.html': '<h1>Hi</h1>', 'script.js': 'let a;' };
    expect((await importFiles({ ...files, '.glitch-assets': '' })).texts).toEqual({
      ...files,
      'index.html': '<h1>Hi</h1>',
    });
  });
});

test('a LiveCodes export opens as a page', async () => {
  const config = {
    title: 'Cards',
    markup: { language: 'html', content: '<h1>Cards</h1>' },
    script: { language: 'svelte', content: '<h1>Hi</h1>' },
  };
  const name = 'cards.json';
  const { texts, title } = await importFiles({ [name]: JSON.stringify(config) }, name);
  expect(title).toBe('Cards');
  expect(texts['App.svelte']).toBe('<h1>Hi</h1>');
  expect(texts['index.html']).toMatch(/<h1>Cards<\/h1>[^]*id="app"[^]*main\.js/);
  const other = await importFiles({ 'data.json': '{"markup":1}' }, 'data.json');
  expect(other.texts).toEqual({ 'data.json': '{"markup":1}' });
});

describe('what was posted to /prefill', () => {
  const read = (fields: Record<string, string>, from: unknown = 'https://docs.example') => {
    const { imported, ...rest } = readPosted(
      JSON.stringify({ from, fields: Object.entries(fields) }),
    );
    return { ...rest, ...imported, texts: Object.fromEntries(imported.files) };
  };
  const codeOf = (stored: string | null) => {
    try {
      readPosted(stored);
      return 'read';
    } catch (error) {
      return findErrorCode(error);
    }
  };

  test('as CodePen’s form has all of a pen', () => {
    const data = {
      title: 'Pen',
      html: '# Hi',
      html_pre_processor: 'markdown',
      css: 'b { c { d: e } }',
      css_pre_processor: 'less',
      css_starter: 'normalize',
      css_external: 'https://cdn.example/a.css;https://cdn.example/b.css',
      js: 'let a: string',
      js_pre_processor: 'typescript',
      js_external: 'https://cdn.example/a.js',
      head: '<meta name="x">',
      tags: ['a'],
      editors: '101',
    };
    const { texts, leftOut, title, from } = read({ data: JSON.stringify(data) });
    expect({ title, from }).toEqual({ title: 'Pen', from: 'https://docs.example' });
    expect(Object.keys(texts).sort()).toEqual(['index.md', 'script.ts', 'style.less']);
    expect(texts['index.md']).toMatch(
      /name="x"[^]*a\.css[^]*b\.css[^]*# Hi[^]*a\.js[^]*script\.ts/,
    );
    expect(leftOut).toEqual([{ path: 'normalize', reason: 'settings' }]);
  });

  test('in languages that nothing here compiles keeps the code', () => {
    const data = {
      html: 'h1 Hi',
      html_pre_processor: 'haml',
      js: 'a',
      js_pre_processor: 'livescript',
    };
    const { texts, leftOut } = read({ data: JSON.stringify(data) });
    expect(texts).toMatchObject({ 'index.haml': 'h1 Hi', 'script.ls': 'a' });
    expect(texts['index.html']).not.toContain('<script');
    expect(leftOut.map(({ path, reason }) => [path, reason])).toEqual([
      ['livescript', 'unsupported'],
      ['haml', 'unsupported'],
    ]);
  });

  test('as StackBlitz’s, JSFiddle’s and our own forms has the files', () => {
    const stackBlitz = read({
      'project[title]': 'Stack',
      'project[template]': 'javascript',
      'project[files][index.html]': '<div id="app"></div>',
      'project[files][index.js]': 'let a;\r\nlet b;\r\n',
      'project[dependencies]': '{"rxjs":"5.5.6"}',
    });
    expect(stackBlitz.title).toBe('Stack');
    expect(stackBlitz.texts['index.js']).toBe('let a;\nlet b;\n');
    expect(stackBlitz.texts['index.html']).toContain('src="/index.js"');
    expect(stackBlitz.texts['package.json']).toContain('"rxjs": "5.5.6"');

    const fiddle = read({
      html: '<b>',
      css: 'b {}',
      js: 'let a;',
      resources: 'https://c.example/a.css,https://c.example/a.js',
    });
    expect(fiddle.texts['index.html']).toMatch(
      /a\.css[^]*style\.css[^]*<b>[^]*a\.js[^]*script\.js/,
    );

    const files = { 'index.html': '<h1>Hi</h1>', 'ä b/c.txt': 'ü' };
    expect(read({ files: JSON.stringify(files), title: 'Own' })).toMatchObject({
      texts: files,
      title: 'Own',
    });
    expect(read({ json: JSON.stringify({ title: 'Own', files }) })).toMatchObject({
      texts: files,
      title: 'Own',
    });
  });

  test('of an unknown form is rejected', () => {
    for (const fields of [
      {},
      { data: '{' },
      { data: '1' },
      { parameters: '*' },
      { files: '[]' },
      { other: 'a' },
    ])
      expect(codeOf(JSON.stringify({ fields: Object.entries(fields) }))).toBe('post_unreadable');
    expect(codeOf(null)).toBe('post_unreadable');
    expect(codeOf('{"error":"post_too_large"}')).toBe('post_too_large');
    fc.assert(
      fc.property(fc.json(), (stored) => {
        expect(codeOf(stored)).toMatch(/^(?:read|post_unreadable|import_empty)$/);
      }),
    );
  });
});
