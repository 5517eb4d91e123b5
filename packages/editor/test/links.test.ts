import { describe, expect, test } from 'vitest';
import { findDocumentLinks } from '../src/links/find-links.ts';

/** "kind address" of each link. Checks that its range contains the address. */
async function describeLinks(path: string, text: string): Promise<string[]> {
  const links = await findDocumentLinks(path, text);
  return links.map(({ from, to, address, kind }) => {
    expect(text.slice(from, to)).toBe(address);
    return `${kind} ${address}`;
  });
}

describe('links in files', () => {
  test('are imports in scripts, and no other strings', async () => {
    const script = `
      import a, { type B } from './a';
      import './b.css';
      export * from "../c.js";
      export const x = './no';
      const d = await import('./d'), e = new URL('./e.wasm', import.meta.url), f = require('./f');
      new URL('/no', location.href); call('./no'); // import './no'
      vi.mock('./g'); type Q = import('./h').Q; const i = <img src="i.svg" alt="./no" />;
    `;
    expect(await describeLinks('main.tsx', script)).toEqual([
      'module ./a',
      'module ./b.css',
      'module ../c.js',
      'module ./d',
      'module ./e.wasm',
      'module ./f',
      'module ./g',
      'module ./h',
      'page-address i.svg',
    ]);
  });

  test('are src, href and poster in pages, and those in their scripts and styles', async () => {
    const page = `<link href="a.css"><img src='b.svg' alt="no.svg"><script src=c.js></script>
      <p style="background: url(d.svg)">no.js</p><video poster="e.svg"></video>
      <script type="module">import './f.js';</script>
      <style>@import "g.css"; a { background: url(h.svg) }</style>`;
    expect(await describeLinks('index.html', page)).toEqual([
      'address a.css',
      'address b.svg',
      'address c.js',
      'address d.svg',
      'address e.svg',
      'module ./f.js',
      'style g.css',
      'address h.svg',
    ]);
  });

  test('are the candidates of srcset', async () => {
    const page = `<img srcset="a.png, img/b.png 2x,c.png 3x" src="d.png"><source srcset='e.webp'>
      <link rel="preload" imagesrcset="f.png 480w, f.png 800w"><img srcset=g.png>`;
    expect(await describeLinks('index.html', page)).toEqual(
      ['a.png', 'img/b.png', 'c.png', 'd.png', 'e.webp', 'f.png', 'f.png', 'g.png'].map(
        (path) => `address ${path}`,
      ),
    );
    expect(await describeLinks('a.jsx', 'const a = <img srcSet="a.png 2x" />;')).toEqual([
      'page-address a.png',
    ]);
  });

  test('are imports and url() in styles, quoted or not', async () => {
    const style = `@import url(a.css); @import "b.css" screen; @use 'parts/c' as c;
      p { content: "no.css"; background: url( "d.svg" ), url('e.svg') } /* url(no.svg) */`;
    expect(await describeLinks('main.scss', style)).toEqual([
      'address a.css',
      'style b.css',
      'style parts/c',
      'address d.svg',
      'address e.svg',
    ]);
  });

  test('are found in components and Markdown', async () => {
    const vue = `<script setup lang="ts">import A from './A.vue'</script>
      <template><img src="./a.svg"></template><style>@import './a.css'</style>`;
    expect(await describeLinks('App.vue', vue)).toEqual([
      'module ./A.vue',
      'address ./a.svg',
      'style ./a.css',
    ]);
    const svelte = `<script lang="ts">import A from './A.svelte'</script><img src="./a.svg">`;
    expect(await describeLinks('App.svelte', svelte)).toEqual([
      'module ./A.svelte',
      'address ./a.svg',
    ]);
    expect(await describeLinks('a.md', '[a](b.md) ![c](d.svg)\n\n[e]: f.md\n')).toEqual([
      'address b.md',
      'address d.svg',
      'address f.md',
    ]);
    expect(await describeLinks('notes.txt', 'src="a.js"')).toEqual([]);
  });
});
