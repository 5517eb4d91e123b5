import { deflateSync, gzipSync } from 'node:zlib';
import { findErrorCode } from '@vitrine/project';
import fc from 'fast-check';
import lz from 'lz-string';
import { describe, expect, test } from 'vitest';
import { createCodeLink, readCodeHash } from '../../app/import/formats/code-link.ts';
import {
  decodeBase64,
  decompress,
  decompressLz,
  maxDecoded,
} from '../../app/import/formats/decode.ts';
import { readPlaygroundLink } from '../../app/import/formats/playground-links.ts';

const codeOf = (result: Promise<unknown> | (() => unknown)) =>
  Promise.resolve()
    .then(() => (typeof result === 'function' ? result() : result))
    .then(
      () => 'resolved',
      (error: unknown) => findErrorCode(error),
    );

const base64Url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');

/** Reads a link. Texts by path, with what was left out. */
async function read(link: string) {
  const imported = await readPlaygroundLink(new URL(link));
  if (!imported) return undefined;
  const { files, leftOut, title } = imported;
  return { texts: Object.fromEntries(files), leftOut, title };
}

const manifestOf = (texts: Record<string, unknown> | undefined): unknown =>
  JSON.parse(String(texts?.['package.json']));

/** lz-string's stream of "a", "aa", "aaa" and so on, each of which is one code. */
function writeRepeated(count: number): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-';
  const bits: number[] = [];
  const write = (value: number, width: number) => {
    for (let index = 0; index < width; index++) bits.push(Math.floor(value / 2 ** index) % 2);
  };
  write(0, 2);
  write('a'.charCodeAt(0), 8);
  // The code after those for a character, for one of 16 bits, for the end, and "a".
  for (let next = 4; next < count + 3; next++) write(next, Math.floor(Math.log2(next)) + 1);
  write(2, Math.floor(Math.log2(count + 3)) + 1);
  while (bits.length % 6 > 0) bits.push(0);
  const units = Array.from({ length: bits.length / 6 }, (_, index) =>
    Number.parseInt(bits.slice(index * 6, index * 6 + 6).join(''), 2),
  );
  return units.map((unit) => alphabet[unit]).join('');
}

describe('lz-string', () => {
  test('is decompressed as the library does, in both alphabets', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.nat(4), (text, times) => {
        const long = text.repeat(times);
        expect(decompressLz(lz.compressToEncodedURIComponent(long))).toBe(long);
        const parameters = lz.compressToBase64(long).replaceAll('+', '-').replaceAll('/', '_');
        expect(decompressLz(parameters.replace(/=+$/, ''), { isBase64Url: true })).toBe(long);
      }),
    );
  });

  test('that isn’t a playground link is rejected', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        try {
          expect(typeof decompressLz(text)).toBe('string');
        } catch (error) {
          expect(findErrorCode(error)).toMatch(/^(?:link_damaged|project_too_large)$/);
        }
      }),
    );
  });

  test('WB-16: a bomb ends at the limit, in little time', async () => {
    expect(decompressLz(writeRepeated(20))).toBe('a'.repeat(20 * 21 * 0.5));
    const bomb = writeRepeated(6_000);
    expect(bomb.length).toBeLessThan(15_000);
    const start = performance.now();
    expect(await codeOf(() => decompressLz(bomb))).toBe('project_too_large');
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});

describe('compressed bytes', () => {
  test('WB-16: a bomb ends at the limit', async () => {
    for (const [bytes, format] of [
      [gzipSync(Buffer.alloc(maxDecoded + 1)), 'gzip'],
      [deflateSync(Buffer.alloc(maxDecoded + 1)), 'deflate'],
    ] as const)
      expect(await codeOf(decompress(Uint8Array.from(bytes), format))).toBe('project_too_large');
  });

  test('that are anything else are rejected', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), async (bytes) => {
        for (const format of ['gzip', 'deflate', 'deflate-raw'] as const)
          expect(await codeOf(decompress(Uint8Array.from(bytes), format))).toMatch(
            /^(?:resolved|link_damaged)$/,
          );
      }),
    );
    expect(await codeOf(() => decodeBase64('a*b'))).toBe('link_damaged');
    const invalid = gzipSync(Uint8Array.from([0xff, 0xfe]));
    expect(await codeOf(decompress(Uint8Array.from(invalid), 'gzip'))).toBe('link_damaged');
  });
});

describe('a link with code', () => {
  const origin = 'https://vitrine.example';
  const readLink = (link: string) => readCodeHash(new URL(link).hash);

  test('gives back what it was made of, exactly', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme' }),
        fc.dictionary(fc.string({ minLength: 1 }), fc.string({ unit: 'grapheme' })),
        fc.array(fc.string()),
        async (title, contents, assets) => {
          const files = [...new Map(Object.entries(contents)).set('__proto__', '\uFEFFa\r\n\0')];
          const link = await createCodeLink(origin, { title, files, assets });
          const imported = await readLink(link);
          expect(imported.title).toBe(title);
          expect([...imported.files]).toEqual(files);
          expect(imported.leftOut.map(({ path }) => path)).toEqual(assets);
        },
      ),
    );
  });

  test('is read by the paste field, at any address', async () => {
    const link = await createCodeLink('https://other.example', {
      title: 'Birds',
      files: [['ä b.txt', 'ü']],
    });
    expect(await read(link)).toEqual({
      texts: { 'ä b.txt': 'ü' },
      title: 'Birds',
      leftOut: [],
    });
  });

  test('that would be too long is rejected', async () => {
    const noise = Array.from({ length: 60_000 }, (_, index) => (index * 7919) % 99_991).join();
    const files = [['noise.txt', noise] as const];
    expect(await codeOf(createCodeLink(origin, { title: '', files }))).toBe('link_too_long');
  });

  test('that is damaged or of a later version is rejected', async () => {
    const link = await createCodeLink(origin, { title: 'a', files: [['a.txt', 'b'.repeat(50)]] });
    for (const broken of [
      link.slice(0, -6),
      link.replace('1.', '2.'),
      `${origin}/new#code=`,
      `${origin}/new#code=1.`,
      `${origin}/new#code=1.${base64Url(Buffer.from('no'))}`,
    ])
      expect(await codeOf(readLink(broken)), broken).toBe('link_damaged');
  });
});

describe('a link of the Vue playground', () => {
  const app = '<script setup>\nconst a = "ü";\n</script>\n<template>{{ a }}</template>\n';
  const link = (files: unknown, flags = '') =>
    `https://play.vuejs.org/#${flags}${deflateSync(JSON.stringify(files), { level: 9 }).toString('base64')}`;

  test('opens with the page and the packages it needs', async () => {
    const result = await read(link({ 'App.vue': app, 'import-map.json': '{"imports":{}}' }));
    expect(Object.keys(result?.texts ?? {}).sort()).toEqual([
      'index.html',
      'package-lock.json',
      'package.json',
      'src/App.vue',
      'src/main.js',
    ]);
    expect(result?.texts['src/App.vue']).toBe(app);
    expect(result?.texts['index.html']).toContain('<script type="module" src="src/main.js">');
    expect(result?.leftOut).toEqual([]);
  });

  test('has the versions of its import map', async () => {
    const imports = {
      vue: 'https://cdn.jsdelivr.net/npm/@vue/runtime-dom@3.4.21/dist/runtime-dom.esm-browser.js',
      'vue/server-renderer':
        'https://cdn.jsdelivr.net/npm/@vue/server-renderer@3.4.21/dist/server-renderer.esm-browser.js',
      pinia: 'https://unpkg.com/pinia@2/dist/pinia.esm-browser.js',
      mine: 'https://example.org/mine.js',
    };
    const files = {
      'src/App.vue': "<script setup>\nimport 'pinia';\nimport 'mine';\n</script>",
      'import-map.json': JSON.stringify({ imports }),
      _o: { ssr: true },
    };
    const result = await read(link(files, '__DEV____SSR__'));
    expect(manifestOf(result?.texts)).toMatchObject({
      dependencies: { vue: '^3.4.21', pinia: '2' },
    });
    expect(result?.texts['index.html']).toContain('"mine": "https://example.org/mine.js"');
    expect(result?.leftOut).toEqual([{ path: 'Compiler options', reason: 'settings' }]);
  });

  test('of 2021 is Base64 of UTF-8 alone', async () => {
    const data = Buffer.from(JSON.stringify({ 'App.vue': app })).toString('base64');
    const result = await read(`https://sfc.vuejs.org/#${encodeURIComponent(data)}`);
    expect(result?.texts['src/App.vue']).toBe(app);
  });

  test('that is damaged is rejected', async () => {
    const good = link({ 'App.vue': app });
    for (const bad of [good.slice(0, -9), link([]), link({ 'a.js': '' }), `${good}*`, link(null)])
      expect(await codeOf(readPlaygroundLink(new URL(bad))), bad).toBe('link_damaged');
    expect(await read('https://play.vuejs.org/')).toBeUndefined();
  });
});

describe('a link of the Svelte playground', () => {
  const link = (content: unknown, query = '') =>
    `https://svelte.dev/playground/hello-world${query}#${base64Url(gzipSync(JSON.stringify(content)))}`;
  const app = '<script>\n\tlet name = $state("ü");\n</script>\n<h1>{name}</h1>\n';
  const file = (name: string, contents: string) => ({
    type: 'file',
    name,
    basename: name,
    contents,
    text: true,
  });

  test('opens with the page and the packages it needs', async () => {
    const files = [file('App.svelte', app), file('lib/a.js', 'export {};'), file('main.js', 'a')];
    const result = await read(link({ name: 'Names', files }));
    expect(result?.title).toBe('Names');
    expect(result?.texts['src/App.svelte']).toBe(app);
    expect(result?.texts['src/lib/a.js']).toBe('export {};');
    expect(result?.texts['src/main.js']).toBe('a');
    expect(result?.texts['src/index.js']).toContain('mount(App');
    expect(result?.texts['index.html']).toContain('src="src/index.js"');
    expect(result?.texts['package-lock.json']).toBeDefined();
  });

  test('has its version, Tailwind, and the syntax of older links', async () => {
    const old = { files: [{ name: 'App', type: 'svelte', source: '<h1>Hi</h1>' }], tailwind: true };
    const result = await read(link(old, '?version=4.2.19'));
    expect(result?.texts['src/App.svelte']).toBe('<h1>Hi</h1>');
    expect(result?.texts['src/main.js']).toContain('new App(');
    expect(result?.texts['index.html']).toContain('href="src/tailwind.css"');
    expect(manifestOf(result?.texts)).toMatchObject({ dependencies: { svelte: '^4.2.19' } });
  });

  test('that is damaged is rejected', async () => {
    const good = link({ files: [file('App.svelte', app)] });
    const other = link({ files: [file('Other.svelte', app)] });
    for (const bad of [good.slice(0, -9), link({}), link({ files: [1] }), other])
      expect(await codeOf(readPlaygroundLink(new URL(bad))), bad).toBe('link_damaged');
    expect(await read('https://svelte.dev/playground/abc')).toBeUndefined();
    expect(await read('https://svelte.dev/docs#a')).toBeUndefined();
  });
});

describe('a link of the Solid playground', () => {
  const link = (tabs: unknown) =>
    `https://playground.solidjs.com/#${lz.compressToEncodedURIComponent(JSON.stringify(tabs))}`;
  const main = 'import { render } from "solid-js/web";\nrender(() => <b>ü</b>, document.body);\n';

  test('opens with the page and the packages it needs', async () => {
    const map = { 'solid-js': 'https://esm.sh/solid-js@1.8.5', d3: 'https://esm.sh/d3@7' };
    const result = await read(
      link([
        { name: 'main.tsx', source: main },
        { name: 'style.css', source: 'b {}' },
        { name: 'chart.ts', source: 'import "d3";' },
        { name: 'import_map.json', source: JSON.stringify({ imports: map }) },
      ]),
    );
    expect(result?.texts['src/main.tsx']).toBe(main);
    expect(result?.texts['index.html']).toContain('src="src/main.tsx"');
    expect(manifestOf(result?.texts)).toMatchObject({
      dependencies: { 'solid-js': '^1.8.5', d3: '7' },
    });
  });

  test('of 2021 has the extension as the type', async () => {
    const result = await read(link([{ name: 'main', type: 'tsx', source: main }]));
    expect(result?.texts['src/main.tsx']).toBe(main);
  });

  test('that is damaged is rejected', async () => {
    const good = link([{ name: 'main.tsx', source: main }]);
    for (const bad of [good.slice(0, -20), link({}), link([{ name: 1 }]), link([])])
      expect(await codeOf(readPlaygroundLink(new URL(bad))), bad).toBe('link_damaged');
  });
});

describe('a link of the TypeScript playground', () => {
  const link = (code: string, query = '') =>
    `https://www.typescriptlang.org/play/${query}#code/${lz.compressToEncodedURIComponent(code)}`;

  test('opens as a module with its options listed', async () => {
    const code = 'const a: string = "ü";\nconsole.log(a);\n';
    const result = await read(link(code, '?ts=5.4.5&target=99&filetype=ts'));
    expect(result?.texts['script.ts']).toBe(code);
    expect(result?.texts['index.html']).toContain('<script type="module" src="script.ts">');
    expect(result?.leftOut).toEqual([
      { path: 'ts', reason: 'settings' },
      { path: 'target', reason: 'settings' },
    ]);
  });

  test('is JavaScript or has JSX if it says so', async () => {
    expect((await read(link('let a;', '?filetype=js')))?.texts['script.js']).toBe('let a;');
    const jsx = 'import React from "react";\nexport default () => <b>Hi</b>;\n';
    const result = await read(link(jsx));
    expect(result?.texts['App.tsx']).toBe(jsx);
    expect(result?.texts['package-lock.json']).toBeDefined();
  });

  test('without code, or damaged, isn’t read', async () => {
    expect(await read('https://www.typescriptlang.org/play/#example/hello')).toBeUndefined();
    expect(
      await codeOf(readPlaygroundLink(new URL(`${link('let a;')}*`.replace('#code/', '#code/*')))),
    ).toBe('link_damaged');
  });
});

describe('a link of LiveCodes', () => {
  const config = {
    title: 'Cards',
    markup: { language: 'markdown', content: '# Cards' },
    style: { language: 'scss', content: 'a { b { color: red } }' },
    script: { language: 'typescript', content: 'let a: number = 1;' },
    stylesheets: ['https://cdn.example/a.css'],
    scripts: ['https://cdn.example/a.js'],
    processors: ['autoprefixer', 'lightningcss'],
    htmlAttrs: { lang: 'fr', class: 'a"b' },
    tests: { content: 'test()' },
  };
  const expected = ['index.md', 'script.ts', 'style.scss'];

  test.each([
    ['?x=code/', ''],
    ['?config=code/', ''],
    ['', '#config=code/'],
    ['', '#x=code/'],
  ])('has its code at %s%s', async (query, hash) => {
    const data = lz.compressToEncodedURIComponent(JSON.stringify(config));
    const result = await read(
      `https://livecodes.io/${query}${query ? data : ''}${hash}${hash ? data : ''}`,
    );
    expect(Object.keys(result?.texts ?? {}).sort()).toEqual(expected);
    expect(result?.texts['index.md']).toContain('# Cards');
    expect(result?.texts['index.md']).toContain('href="https://cdn.example/a.css"');
    expect(result?.leftOut).toEqual([
      { path: 'lightningcss', reason: 'unsupported' },
      { path: 'tests', reason: 'settings' },
    ]);
  });

  test('has it as data, or as a parameter for each language', async () => {
    const data = Buffer.from(JSON.stringify(config)).toString('base64');
    const result = await read(
      `https://livecodes.io/?config=data:application/json;base64,${encodeURIComponent(data)}`,
    );
    expect(Object.keys(result?.texts ?? {}).sort()).toEqual(expected);
    const plain = await read('https://livecodes.io/?html=%3Ch1%3EHi&js=alert(1)');
    expect(plain?.texts['index.html']).toContain('<h1>Hi');
    expect(plain?.texts['script.js']).toBe('alert(1)');
    expect(await read('https://livecodes.io/?x=id/abc')).toBeUndefined();
    expect(await codeOf(read('https://livecodes.io/?x=code/*'))).toBe('link_damaged');
  });
});

describe('CodeSandbox’s and CodePen’s define', () => {
  const define = (content: unknown) =>
    `https://codesandbox.io/api/v1/sandboxes/define?parameters=${lz
      .compressToBase64(JSON.stringify(content))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replace(/=+$/, '')}`;

  test('opens with a page, if the sandbox has none', async () => {
    const result = await read(
      define({
        files: {
          'src/index.js': { content: 'import "./a.css";' },
          '/src/a.css': { content: 'b {}', isBinary: false },
          'logo.png': { content: 'https://uploads.example/logo.png', isBinary: true },
          'package.json': { content: { dependencies: { react: '18.2.0' } } },
          'sandbox.config.json': { content: '{}' },
        },
      }),
    );
    expect(Object.keys(result?.texts ?? {}).sort()).toEqual([
      'index.html',
      'package.json',
      'src/a.css',
      'src/index.js',
    ]);
    expect(result?.texts['index.html']).toContain('<div id="root"></div>');
    expect(result?.texts['index.html']).toContain('src="/src/index.js"');
    expect(result?.leftOut).toEqual([
      { path: 'logo.png', reason: 'binary' },
      { path: 'sandbox.config.json', reason: 'settings' },
    ]);
  });

  test('that is damaged is rejected', async () => {
    for (const bad of [define({}), define({ files: 1 }), define({ files: {} }).slice(0, -8)])
      expect(await codeOf(readPlaygroundLink(new URL(bad)))).toBe('link_damaged');
    expect(await codeOf(readPlaygroundLink(new URL(define({ files: {} }))))).toBe('import_empty');
  });

  test('has CodePen’s data as JSON', async () => {
    const data = encodeURIComponent('{"title":"Pen","html":"<b>Hi</b>"}');
    const result = await read(`https://codepen.io/pen/define/?data=${data}`);
    expect(result?.title).toBe('Pen');
    expect(result?.texts['index.html']).toContain('<b>Hi</b>');
  });
});

test('a link of any other site isn’t read', async () => {
  for (const link of ['https://example.org/#code=1.a', 'https://github.com/a/b', 'https://a.test/'])
    expect(await read(link), link).toBeUndefined();
});
