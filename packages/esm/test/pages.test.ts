import { chromium, type Browser } from '@playwright/test';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { getChromiumOptions } from '@vitrine/testing/chromium';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolve } from 'node:path';
import type { PackageServerOptions } from '../src/index.ts';
import { startPackageHost, type PackagePage } from './package-page.ts';
import { withPackageServer, type PackageServerFixture } from './package-server-fixture.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch(getChromiumOptions());
});
afterAll(() => browser.close());

/** Runs a test with a server and a page that loads its packages. */
const inPage = (
  test: (place: PackageServerFixture, page: PackagePage) => Promise<void>,
  server: Partial<PackageServerOptions> = {},
) =>
  withPackageServer({ server }, async (fixture) => {
    const host = await startPackageHost(fixture.server, browser);
    try {
      await host.open(async (page) => {
        await test(fixture, page);
        expect(page.complaints).toEqual([]);
      });
    } finally {
      await host.close();
    }
  });

/** `(module (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add))` */
const addWasm = Buffer.from(
  '0061736d0100000001070160027f7f017f030201000707010361646400000a09010700200020016a0b',
  'hex',
);

/** `(module (import "./given.js" "given" (func (result i32))) (export "taken" (func 0)))` */
const importingWasm = Buffer.from(
  '0061736d010000000105016000017f02140' +
    '10a2e2f676976656e2e6a730567697665' +
    '6e00000709010574616b656e0000',
  'hex',
);

function publishKitchen({ registry: { publish } }: PackageServerFixture): void {
  publish({
    name: 'kitchen',
    version: '1.0.0',
    manifest: {
      type: 'module',
      dependencies: { spice: '1' },
      exports: {
        '.': './dist/index.js',
        './data.json': './dist/data.json',
        './style.css': './dist/style.css',
        './workers': './dist/workers.js',
        './wasm': './dist/wasm.js',
      },
    },
    files: {
      'dist/index.js': `
        import data from './data.json';
        import './style.css';
        import icon from './icon.svg';
        export { data, icon };
        export const note = async () => (await fetch(new URL('./note.txt', import.meta.url))).text();
        export const more = async () => (await import('./more.js')).default;`,
      'dist/data.json': '{ "name": "kitchen", "list": [1, 2] }',
      'dist/style.css':
        '@import "spice/base.css"; @import "./more.css"; h1 { color: rgb(1, 2, 3); background: url("./icon.svg") }',
      'dist/more.css': 'h1 { font-weight: 300 }',
      'dist/icon.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="3" height="4"></svg>',
      'dist/note.txt': 'a note',
      'dist/more.js':
        'import { own } from "./shared.js"; export default [own, import.meta.url.slice(-15)];',
      'dist/shared.js': 'export const own = "shared";',
      'dist/workers.js': `
        const ask = (worker) => new Promise((settle, fail) => {
          worker.onmessage = ({ data }) => settle(data);
          worker.onerror = ({ message }) => fail(new Error(message));
          worker.postMessage(20);
        });
        export const all = () => Promise.all([
          ask(new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })),
          ask(new Worker(new URL('./classic.js', import.meta.url))),
          ask(new Worker(new URL('./inner/worker.mjs', import.meta.url), { type: 'module', name: 'inner' })),
        ]);
        export const blob = () => ask(new Worker(URL.createObjectURL(
          new Blob(['onmessage = ({ data }) => postMessage(data + 5)'], { type: 'text/javascript' }))));`,
      'dist/worker.js': `
        import { salt } from 'spice';
        import { own } from './shared.js';
        onmessage = async ({ data }) => {
          const note = await (await fetch(new URL('./note.txt', import.meta.url))).text();
          const { default: late } = await import('./more.js');
          postMessage([data + salt, own, note, late[0], typeof document]);
        };`,
      'dist/classic.js': 'self.onmessage = function (event) { self.postMessage(event.data + 1); };',
      'dist/inner/worker.mjs': `
        const child = new Worker(new URL('../classic.js', import.meta.url));
        child.onmessage = ({ data }) => postMessage([self.name, data]);
        onmessage = ({ data }) => child.postMessage(data * 2);`,
      'dist/wasm.js': `
        import { add } from './add.wasm';
        import { taken } from './importing.wasm';
        const address = new URL('./add.wasm', import.meta.url);
        const { instance } = await WebAssembly.instantiateStreaming(fetch(address));
        export default [add(1, 2), taken(), instance.exports.add(3, 4)];`,
      'dist/given.js': 'export const given = () => 42;',
      'dist/add.wasm': addWasm,
      'dist/importing.wasm': importingWasm,
    },
  });
  publish({
    name: 'spice',
    version: '1.0.0',
    manifest: { type: 'module', main: 'index.js' },
    files: { 'index.js': 'export const salt = 7;', 'base.css': 'h1 { opacity: 0.5 }' },
  });
}

test('loads JSON, CSS, images and files next to a module in a page', () =>
  inPage(async (fixture, { page, run, addressOf }) => {
    publishKitchen(fixture);
    const base = (await fixture.add(['kitchen'])).baseOf('kitchen');
    const result = await run(`
      import * as kitchen from '${base}';
      import data from '${base}/data.json';
      const image = new Image();
      image.src = kitchen.icon;
      await image.decode();
      export default {
        same: data === kitchen.data, data, size: [image.width, image.height], icon: kitchen.icon,
        note: await kitchen.note(), more: await kitchen.more(),
      };`);
    expect(result).toEqual({
      same: true,
      data: { name: 'kitchen', list: [1, 2] },
      size: [3, 4],
      icon: addressOf(`${base}/-/dist/icon.svg`),
      note: 'a note',
      more: ['shared', '/-/dist/more.js'],
    });
    await page.setContent(await page.content().then((text) => `${text}<h1>Kitchen</h1>`));
    await run(`import '${base}/style.css?again'; export default 1;`);
    const style = await page.getByRole('heading').evaluate((element) => {
      const { color, fontWeight, opacity, backgroundImage } = getComputedStyle(element);
      return { color, fontWeight, opacity, backgroundImage };
    });
    expect(style).toEqual({
      color: 'rgb(1, 2, 3)',
      fontWeight: '300',
      opacity: '0.5',
      backgroundImage: `url("${addressOf(`${base}/-/dist/icon.svg`)}")`,
    });
    const sheet = await fixture.get(`${base}/style.css?css`);
    expect(sheet.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(await sheet.text()).toMatch(/@import .*\/npm\/spice@1\.0\.0~\w+\/base\.css\?css/);
  }));

test('starts workers of packages in a page of another origin, with their imports', () =>
  inPage(async (fixture, { run }) => {
    publishKitchen(fixture);
    const base = (await fixture.add(['kitchen'])).baseOf('kitchen');
    const result = await run(
      `import { all, blob } from '${base}/workers'; export default [...(await all()), await blob()];`,
    );
    expect(result).toEqual([
      [27, 'shared', 'a note', 'shared', 'undefined'],
      21,
      ['inner', 41],
      25,
    ]);
  }));

test('shares a shared worker of a package within a page', () =>
  inPage(async (fixture, { run }) => {
    const count = 'let count = 0; onconnect = ({ ports: [port] }) => port.postMessage(++count);';
    fixture.registry.publish({
      name: 'shared',
      version: '1.0.0',
      manifest: { type: 'module', main: 'index.js' },
      files: {
        'index.js': `
          const ask = (worker) => new Promise((settle, fail) => {
            worker.port.onmessage = ({ data }) => settle(data);
            worker.onerror = fail;
          });
          export const counts = () => Promise.all([
            ask(new SharedWorker(new URL('./module.js', import.meta.url), { type: 'module' })),
            ask(new SharedWorker(new URL('./classic.js', import.meta.url))),
          ]);`,
        'module.js': `import './part.js'; ${count}`,
        'classic.js': `importScripts('part.js'); ${count}`,
        'part.js': '',
      },
    });
    const base = (await fixture.add(['shared'])).baseOf('shared');
    const script = `import { counts } from '${base}'; export default [await counts(), await counts()];`;
    expect(await run(script)).toEqual([
      [1, 1],
      [2, 2],
    ]);
  }));

test('lets scripts find files next to them, also in a worker with importScripts', () =>
  inPage(async (fixture, { run, addressOf }) => {
    fixture.registry.publish({
      name: 'classic',
      version: '1.0.0',
      files: {
        'index.js': `
          exports.currentScript = function () { return document.currentScript; };
          exports.address = document.currentScript && exports.currentScript().src;
          exports.ask = function (number) {
            return new Promise(function (settle, fail) {
              const worker = new Worker(new URL('lib/worker.js', exports.address));
              worker.onmessage = function (event) { settle(event.data); };
              worker.onerror = fail;
              worker.postMessage(number);
            });
          };`,
        'lib/worker.js': `
          importScripts('twice.js');
          self.onmessage = function (event) { postMessage(twice(event.data)); };`,
        'lib/twice.js': 'function twice(number) { return number * 2; }',
      },
    });
    const base = (await fixture.add(['classic'])).baseOf('classic');
    const result = await run(
      `import { address, ask } from '${base}'; export default [address, await ask(21)];`,
    );
    expect(result).toEqual([addressOf(`${base}/-/index.js`), 42]);
  }));

test('loads wasm as a module with imports, and as a fetched file', () =>
  inPage(async (fixture, { run }) => {
    publishKitchen(fixture);
    const base = (await fixture.add(['kitchen'])).baseOf('kitchen');
    expect(await run(`export { default } from '${base}/wasm';`)).toEqual([3, 42, 7]);
  }));

/** A package that detects its variant by NODE_ENV and by the conditions of its exports. */
const variants = {
  name: 'variants',
  version: '1.0.0',
  manifest: {
    exports: {
      '.': './index.js',
      './by-condition': { development: './d.js', production: './p.js', default: './n.js' },
    },
  },
  files: {
    'index.js': `
      if (process.env.NODE_ENV !== 'production') exports.warning = 'a long warning for developers';
      exports.mode = process.env.NODE_ENV;
      exports.nameOf = function (longParameter) { return longParameter + 1; };
      exports.condition = require('variants/by-condition').condition;
      exports.other = require('other').mode;`,
    'd.js': 'exports.condition = "development";',
    'p.js': 'exports.condition = "production";',
    'n.js': 'exports.condition = "none";',
  },
};

test('serves development packages to projects, and production packages for ranges', () =>
  inPage(async ({ registry, add, get }, { run }) => {
    const other = 'export const mode = process.env.NODE_ENV;';
    registry.publish({ name: 'other', version: '1.0.0', files: { 'index.js': other } });
    const manifest = { ...variants.manifest, dependencies: { other: '1' } };
    registry.publish({ ...variants, manifest });
    const tell = (address: string) =>
      run(`import variants from '${address}'; export default JSON.stringify(variants);`);
    const { baseOf } = await add(['variants']);
    expect(await tell(baseOf('variants'))).toBe(
      '{"warning":"a long warning for developers","mode":"development","condition":"development","other":"development"}',
    );
    expect(await tell('/npm/variants@1')).toBe(
      '{"mode":"production","condition":"production","other":"production"}',
    );
    const exact = (await get('/npm/variants@1')).headers.get('location')?.split('?')[0] ?? '';
    const text = await (await get(exact)).text();
    expect(text).not.toMatch(/a long warning|longParameter/);
    expect(exact).not.toBe(baseOf('variants'));
  }));

interface Frame {
  readonly source: string;
  readonly line: number;
  readonly text: string;
}

/** Stack locations as a debugger shows them, after each script's source map. */
async function readFrames(
  stack: string,
  read: (address: string) => Promise<string>,
): Promise<Frame[]> {
  const places = [...stack.matchAll(/(http[^\s()]+\/npm\/[^\s()]+?):(\d+):(\d+)/g)];
  return Promise.all(
    places.map(async ([, address = '', line, column]) => {
      const [, name = ''] = /\n\/\/# sourceMappingURL=(.*)\s*$/.exec(await read(address)) ?? [];
      const map = JSON.parse(await read(new URL(name, address).href)) as SourceMapPayload;
      const entry = new SourceMap(map).findEntry(Number(line) - 1, Number(column) - 1);
      if (!('originalSource' in entry)) throw new Error(`${address}:${line} is in no map`);
      const content = map.sourcesContent[map.sources.indexOf(entry.originalSource)] ?? '';
      const text = content.split('\n')[entry.originalLine]?.trim() ?? '';
      return { source: entry.originalSource, line: entry.originalLine + 1, text };
    }),
  );
}

test.each(['development', 'production'])(
  'maps the stack of an error to the published files, for %s',
  (mode) =>
    inPage(async ({ registry, add, get }, { run }) => {
      registry.publish({
        name: 'fails',
        version: '1.0.0',
        manifest: {
          dependencies: { deep: '1' },
          exports: { '.': './lib/index.mjs', './other': './lib/other.mjs' },
        },
        files: {
          'lib/index.mjs':
            'import { dig } from "deep";\nimport { pass } from "./shared.mjs";\n\nexport function begin() {\n  return pass(dig);\n}\n',
          'lib/other.mjs': 'export { pass } from "./shared.mjs";',
          'lib/shared.mjs':
            '// A shared file.\nexport const pass = (work) => {\n  work();\n  return 1;\n};\n',
        },
      });
      registry.publish({
        name: 'deep',
        version: '1.0.0',
        files: {
          'index.js': 'module.exports = require("./src/dig");',
          'src/dig.js':
            'var nothing = null;\nexports.dig = function dig() {\n  return nothing.value;\n};\n',
        },
      });
      const added = await add(['fails']);
      const base = mode === 'development' ? added.baseOf('fails') : '/npm/fails';
      const stack = (await run(`
        import { begin } from '${base}';
        let stack;
        try { begin(); } catch (error) { stack = error.stack; }
        export default stack;`)) as string;
      const read = async (address: string) => {
        const { pathname, search } = new URL(address);
        const answer = await get(pathname + search);
        expect(`${address} ${answer.status}`).toMatch(/ 200$/);
        return answer.text();
      };
      expect(await readFrames(stack, read)).toEqual([
        { source: 'src/dig.js', line: 3, text: 'return nothing.value;' },
        { source: 'lib/shared.mjs', line: 3, text: 'work();' },
        { source: 'lib/index.mjs', line: 5, text: 'return pass(dig);' },
      ]);
    }),
);

const svelteVersions = ['3.59.2', '4.2.20', '5'];

test('compiles components of packages for the Svelte of each project', () =>
  inPage(
    async ({ registry, add }, page) => {
      // Everything else is taken from the installed packages.
      registry.behave(/^\/(?!flat|buttons)/, (response) => response.writeHead(500).end());
      registry.publish({ name: 'flat', version: '1.0.0', files: { 'index.js': '' } });
      const publish = (name: string, manifest: object) =>
        registry.publish({
          name,
          version: '1.0.0',
          manifest: { type: 'module', svelte: 'index.js', ...manifest },
          files: {
            'index.js': `import './start.svelte.js'; export { default as Button } from './Button.svelte';`,
            'start.svelte.js': 'globalThis.started = (globalThis.started ?? 0) + 1;',
            'Button.svelte': `<script lang="ts">
              import { writable } from 'svelte/store';
              export let label: string = 'no label';
              const count = writable<number>(0);
              $: twice = $count * 2;
            </script>
            <button on:click={() => count.update((n) => n + 1)}>{label} {twice}</button>
            <style>button { color: rgb(1, 2, 3); }</style>`,
          },
        });
      publish('buttons', { peerDependencies: { svelte: '>=3' } });
      publish('buttons-svelte', { dependencies: { flat: '1' } });
      for (const [index, version] of svelteVersions.entries()) {
        for (const name of ['buttons', 'buttons-svelte']) {
          const { baseOf } = await add([`svelte@${version}`, name]);
          const shown = await page.run(`
            import * as svelte from '${baseOf('svelte')}';
            import { Button } from '${baseOf(name)}';
            const options = { target: document.body, props: { label: 'Press' } };
            if (svelte.mount) svelte.mount(Button, options); else new Button(options);
            const button = document.body.lastElementChild;
            button.click();
            await new Promise(requestAnimationFrame);
            export default [button.textContent, getComputedStyle(button).color];`);
          expect([version, name, shown]).toEqual([version, name, ['Press 2', 'rgb(1, 2, 3)']]);
        }
        expect(await page.page.evaluate('started')).toBe(2 * (index + 1));
      }
    },
    { installed: [resolve(import.meta.dirname, '../../..')] },
  ));
