import { describe, expect, it } from 'vitest';
import { setUpChromium } from './rig/chromium.ts';
import { frameworkLock } from './rig/frameworks.ts';
import { bothTransports } from './rig/transports.ts';

const at = setUpChromium({ sharesPage: true });

const page = (body: string, head = '') =>
  `<!doctype html>
<html><head><title>Shop</title>${head}</head><body>
${body}
</body></html>`;

interface Case {
  what: string;
  files: Record<string, string>;
  /** "PATH:LINE FILE", by location. */
  expected: string[];
  only?: 'isolated-origin' | 'srcdoc';
}

const missing: Case[] = [
  {
    what: 'new Image()',
    files: {
      'index.html': page(`<script>
const hero = new Image();
hero.src = 'sprites/hero.png';
</script>`),
    },
    expected: ['index.html:5 sprites/hero.png'],
  },
  {
    what: 'an image whose URL a script computes',
    files: {
      'index.html': page('<script type="module" src="main.ts"></script>'),
      'main.ts': `interface Named { name: string }
function load(sprite: Named): HTMLImageElement {
  const made = document.createElement('img');
  made.src = 'sprites/' + sprite.name + '.png';
  return made;
}
load({ name: 'hero' });`,
    },
    expected: ['main.ts:4 sprites/hero.png'],
  },
  {
    what: 'new Audio() and a media element that is never attached',
    files: {
      'index.html': page('<script src="main.js"></script>'),
      'main.js': `const jump = new Audio('jump.mp3');
const shot = document.createElement('audio');
shot.src = 'shot.mp3';`,
    },
    expected: ['main.js:1 jump.mp3', 'main.js:3 shot.mp3'],
  },
  {
    what: 'setAttribute and innerHTML of elements that are never attached',
    files: {
      'index.html': page('<script src="main.js"></script>'),
      'main.js': `const one = document.createElement('img');
one.setAttribute('src', 'one.png');
const other = document.createElement('div');
other.innerHTML = '<img src="other.png">';`,
    },
    expected: ['main.js:2 one.png', 'main.js:4 other.png'],
  },
  {
    what: 'new Worker() and new SharedWorker()',
    files: {
      'index.html': page('<script src="main.js"></script>'),
      'main.js': `new Worker('js/one.js').onmessage = () => {};
new Worker('js/two.js', { type: 'module' });
new SharedWorker('js/three.js');`,
    },
    expected: ['main.js:1 js/one.js', 'main.js:2 js/two.js', 'main.js:3 js/three.js'],
    only: 'isolated-origin',
  },
  {
    what: 'stylesheets: url(), @import and @font-face',
    files: {
      'index.html': page('<h1>Shop</h1>', '<link rel="stylesheet" href="css/main.css">'),
      'css/main.css': `@import "gone.css";
@font-face { font-family: Gone; src: url(gone.woff2) }
h1 { font-family: Gone; background: url(gone.png) }`,
    },
    expected: [
      'css/main.css:1 css/gone.css',
      'css/main.css:2 css/gone.woff2',
      'css/main.css:3 css/gone.png',
    ],
  },
  {
    what: 'styles of the page itself',
    files: {
      'index.html': page(
        '<p style="background: url(gone3.png)">a</p><p>b</p>',
        '\n<style>@import "gone1.css";\np { background: url(gone2.png) }</style>',
      ),
    },
    expected: ['index.html:3 gone1.css', 'index.html:4 gone2.png', 'index.html:5 gone3.png'],
  },
  {
    what: 'elements of every kind',
    files: {
      'index.html': page(`<video><source src="gone1.mp4"></video>
<audio src="gone2.mp3"></audio>
<svg><image href="gone3.svg" width="9" height="9"/></svg>
<svg><use href="gone4.svg#x"/></svg>
<input type="image" src="gone5.png" alt="x">
<picture><source srcset="gone6.webp"><img alt="x"></picture>
<img srcset="gone8.png 1x" alt="x">
<script src="gone9.js"></script>
<video controls><track default src="gone10.vtt"></video>
<link rel="preload" as="image" href="gone11.png">
<link rel="modulepreload" href="gone12.js">
<link rel="stylesheet" href="gone13.css">
<iframe src="gone14.html" title="x"></iframe>`),
    },
    expected: [
      'index.html:3 gone1.mp4',
      'index.html:4 gone2.mp3',
      'index.html:5 gone3.svg',
      'index.html:6 gone4.svg',
      'index.html:7 gone5.png',
      'index.html:8 gone6.webp',
      'index.html:9 gone8.png',
      'index.html:10 gone9.js',
      'index.html:11 gone10.vtt',
      'index.html:12 gone11.png',
      'index.html:13 gone12.js',
      'index.html:14 gone13.css',
      'index.html:15 gone14.html',
    ],
  },
];

const missingScripts = {
  'index.html': page(`<script src="a/one.js"></script>
<p>Between</p>
<script src="a/two.js"></script>
<script type="module" src="three.js"></script>
<script type="module" src="main.js"></script>
<script src="https://cdn.nowhere.test/d3.js"></script>`),
  'main.js': `\nimport './lib/four.js';`,
  'lib/four.js': `\n\nimport 'https://cdn.nowhere.test/five.js';`,
};

describe.each(bothTransports)(
  'missing files, with the $transport transport',
  ({ transport, isSrcdoc }) => {
    it.each(missing.filter(({ only = transport }) => only === transport))(
      'are reported with their location: $what',
      async ({ files, expected }) => {
        await at.workspace.run({ files, isSrcdoc });
        const { problems } = await at.workspace.seenUntil(
          (seen) => seen.problems.length >= expected.length,
          expected.join(),
        );
        const reported = problems.map(
          ({ path: file, line, message }) => `${file}:${line} ${fileOf(message)}`,
        );
        const byLine = (a: string, b: string) => lineOf(a) - lineOf(b);
        expect(reported.toSorted(byLine)).toEqual(expected);
      },
    );

    it('include a failed import(), which says that it is one', async () => {
      const script = `<script type="module">const name = './gone.js'; import(name);</script>`;
      await at.workspace.run({ files: { 'index.html': page(script) }, isSrcdoc });
      const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
      expect(problems).toMatchObject([{ kind: 'rejection', isFailedImport: true }]);
    });

    it('gives each missing script of a page its own line and quick fix', async () => {
      await at.workspace.run({ files: missingScripts, isSrcdoc });
      const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length >= 5);
      const reported = problems.map(
        ({ path, line, message, fixes = [] }) =>
          `${path}:${line} ${fileOf(message).split(':')[0]} ${fixes.map(({ label }) => label).join()}`,
      );
      expect(reported.toSorted()).toEqual([
        'index.html:3 a/one.js Create a/one.js',
        'index.html:5 a/two.js Create a/two.js',
        'index.html:6 three.js Create three.js',
        'index.html:8 https ',
        'lib/four.js:3 main.js failed to load ',
      ]);
    });

    it('reports a cross-origin import of an inline module that failed to load', async () => {
      const imports = `<script type="module">
import 'https://cdn.nowhere.test/y.js';
</script>`;
      await at.workspace.run({ files: { 'index.html': page(imports) }, isSrcdoc });
      const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
      expect(problems).toMatchObject([
        {
          path: 'index.html',
          line: 4,
          message: 'This script failed to load: https://cdn.nowhere.test/y.js (network error).',
        },
      ]);
    });

    it('reports a cross-origin import of a module file at its import', async () => {
      const files = {
        'index.html': page('<script type="module" src="main.js"></script>'),
        'main.js': `import './lib/a.js';`,
        'lib/a.js': `\nimport 'https://cdn.nowhere.test/y.js';`,
      };
      await at.workspace.run({ files, isSrcdoc });
      const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
      expect(problems).toMatchObject([{ path: 'lib/a.js', line: 2, message: expect.any(String) }]);
      expect(problems[0]?.message).toMatch(/^main\.js failed to load: https:\/\/cdn\.nowhere/);
    });

    it('reports a cross-origin script and image that failed to load', async () => {
      const body = `<script src="https://cdn.nowhere.test/x.js"></script>
<script>new Image().src = 'https://cdn.nowhere.test/x.png'</script>`;
      await at.workspace.run({ files: { 'index.html': page(body) }, isSrcdoc });
      const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length === 2);
      const reported = problems.map(({ line, message }) => `${line} ${message}`);
      const why = 'failed to load. It may not exist, or the host may be unreachable.';
      expect(reported.toSorted()).toEqual([
        `3 https://cdn.nowhere.test/x.js ${why}`,
        `4 https://cdn.nowhere.test/x.png ${why}`,
      ]);
    });

    it('reports stylesheets of other hosts that fail, where they are imported', async () => {
      const files = {
        'index.html': page(
          '<script type="module" src="main.js"></script>',
          '<link rel="stylesheet" href="main.css">\n<style>@import "https://cdn.nowhere.test/one.css";</style>',
        ),
        'main.css':
          '\n@import url(https://cdn.nowhere.test/two.css);\n@import "https://cdn.nowhere.test/three.css";',
        'main.js': `import './App.vue';`,
        'package-lock.json': frameworkLock,
        'App.vue': `<template><p></p></template>\n<style>\n@import url('https://cdn.nowhere.test/four.css');\n</style>`,
      };
      await at.workspace.run({ files, isSrcdoc });
      const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length >= 4);
      const reported = problems.map(
        ({ path, line, severity, message }) =>
          `${path}:${line} ${severity} ${message.split(' It')[0]}`,
      );
      expect(reported.toSorted()).toEqual([
        'App.vue:3 warning https://cdn.nowhere.test/four.css failed to load.',
        'index.html:3 warning https://cdn.nowhere.test/one.css failed to load.',
        'main.css:2 warning https://cdn.nowhere.test/two.css failed to load.',
        'main.css:3 warning https://cdn.nowhere.test/three.css failed to load.',
      ]);
    });

    it('forgets what was half typed into a page without scripts', async () => {
      const typed = (path: string, style: string) => ({
        'index.html': page(
          `<img src="${path}" alt="">\n<p style="background: url(${style})">Sea</p>`,
        ),
      });
      const files = {
        ...typed('', 'sea.svg'),
        'sea.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      };
      await at.workspace.run({ files, isSrcdoc });
      for (const path of ['s', 'se', 'sea', 'sea.', 'sea.s', 'sea.sv'])
        await show(typed(path, path), path);
      const isLast = ({ message }: { message: string }) =>
        message.startsWith('Can’t find “sea.sv”.');
      const { problems } = await at.workspace.seenUntil(
        (seen) => seen.problems.length > 0 && seen.problems.every(isLast),
      );
      // Nobody means to create a script for an image.
      expect(problems.flatMap(({ fixes = [] }) => fixes.map(({ label }) => label))).toEqual(
        problems.map(() => 'Change to sea.svg'),
      );
      await show(typed('sea.svg', 'sea.svg'), 'sea.svg');
      await at.workspace.seenUntil((seen) => seen.problems.length === 0);
      // Every name counts as long as it is there, however many there were before.
      for (let count = 0; count < 60; count += 1)
        await show(typed(`s${count}.png`, 'sea.svg'), `s${count}.png`);
      await at.workspace.seenUntil(
        ({ problems: [first, ...others] }) =>
          first?.message === 'Can’t find “s59.png”.' && others.length === 0,
      );
    });

    /** Applies an edit, and waits until the image of the page has this URL. */
    async function show(files: Record<string, string>, url: string): Promise<void> {
      await at.workspace.edit(files);
      await at.workspace.untilInResult(
        `decodeURIComponent(document.querySelector('img').src)`,
        (src) => typeof src === 'string' && (src.endsWith(url) || src.startsWith('blob:')),
      );
    }

    it('forgets the URLs that a stylesheet no longer has', async () => {
      const css = (path: string) => ({ 'main.css': `p { background: url("${path}") }` });
      const files = {
        'index.html': page('<p>Sea</p>', '<link rel="stylesheet" href="main.css">'),
        'p.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      };
      await at.workspace.run({ files: { ...files, ...css('p.sv') }, isSrcdoc });
      const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
      expect(problems.map(({ message }) => message)).toEqual([
        'Can’t find “p.sv”. Did you mean “p.svg”?',
      ]);
      await at.workspace.edit(css('p.svg'));
      await at.workspace.seenUntil((seen) => seen.problems.length === 0);
    });

    it('names each imported file that isn’t JavaScript, and offers what works', async () => {
      const main = `import mesh from './assets/tri.glb';
import shader from './a.vert';
import page from './part.html';
import style from './main.css' with { type: 'css' };
import text from './part.html?raw';
import('./b.vert').catch(() => {});`;
      const files = {
        'index.html': page('<script type="module" src="src/main.js"></script>'),
        'src/main.js': main,
        'src/assets/tri.glb': 'glTF',
        'src/a.vert': 'void main() {}',
        'src/b.vert': 'void main() {}',
        'src/part.html': '<p>Part</p>',
        'src/main.css': 'p {}',
      };
      await at.workspace.run({ files, isSrcdoc });
      const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length === 3);
      const reported = problems.map(({ path, line, message, fixes = [] }) => [
        `${path}:${line} ${message.split(', so')[0]}`,
        ...fixes.map(({ label }) => label),
      ]);
      expect(reported).toEqual([
        [
          'src/main.js:1 src/assets/tri.glb isn’t JavaScript (served as model/gltf-binary)',
          'Change to ./assets/tri.glb?url',
        ],
        [
          'src/main.js:2 src/a.vert isn’t JavaScript',
          'Change to ./a.vert?url',
          'Change to ./a.vert?raw',
        ],
        [
          'src/main.js:3 src/part.html isn’t JavaScript (served as text/html)',
          'Change to ./part.html?raw',
          'Change to ./part.html?url',
        ],
      ]);
    });

    it('calls a picture that can’t be read what it is', async () => {
      const body = '<img src="data:image/png;base64,AAAA" alt=""><img src="a.png" alt="">';
      await at.workspace.run({ files: { 'index.html': page(body), 'a.png': 'No' }, isSrcdoc });
      const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length === 2);
      expect(problems.map(({ message }) => message).toSorted()).toEqual([
        'a.png isn’t an image the browser can show.',
        'data:image/png;base64,AAAA isn’t an image the browser can show.',
      ]);
    });

    it('reports an empty attribute with its location', async () => {
      const body = `<p>Empty</p>\n<script src=""></script>`;
      await at.workspace.run({ files: { 'index.html': page(body) }, isSrcdoc });
      const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
      expect(problems).toMatchObject([
        { path: 'index.html', line: 4, message: 'Empty “src” attribute on <script>.' },
      ]);
    });
  },
);

function fileOf(message: string): string {
  return /^Can’t find “(.+?)”\.(?: |$)/.exec(message)?.[1] ?? message;
}

function lineOf(reported: string): number {
  return Number(/:(\d+) /.exec(reported)?.[1]);
}
