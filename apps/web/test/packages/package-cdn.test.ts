import { describe, expect, test } from 'vitest';
import { findCdnPackage } from '../../app/packages/cdn-urls.ts';
import { findCdnImports } from '../../app/packages/cdn-imports.ts';

describe('a CDN URL', () => {
  test.each([
    ['https://unpkg.com/three', 'three', undefined, 'three'],
    ['https://unpkg.com/three@0.160.0/build/three.module.js', 'three', '0.160.0', 'three'],
    ['//unpkg.com/three@0.160.0/build/three.module.js', 'three', '0.160.0', 'three'],
    [
      'https://unpkg.com/three@0.160.0/examples/jsm/controls/OrbitControls.js?module',
      'three',
      '0.160.0',
      'three/examples/jsm/controls/OrbitControls.js',
    ],
    ['https://cdn.jsdelivr.net/npm/d3@7/+esm', 'd3', '7', 'd3'],
    [
      'https://cdn.jsdelivr.net/npm/d3-array@3.2.4/dist/d3-array.min.js',
      'd3-array',
      '3.2.4',
      'd3-array',
    ],
    ['https://cdn.jsdelivr.net/npm/lodash-es@4/get.js', 'lodash-es', '4', 'lodash-es/get.js'],
    ['https://cdn.jsdelivr.net/npm/chart.js@^4/dist/chart.umd.js', 'chart.js', '^4', 'chart.js'],
    [
      'https://cdn.jsdelivr.net/npm/@tweenjs/tween.js@23.1.3/dist/tween.esm.js',
      '@tweenjs/tween.js',
      '23.1.3',
      '@tweenjs/tween.js',
    ],
    [
      'https://unpkg.com/preact@10/hooks/dist/hooks.module.js?module',
      'preact',
      '10',
      'preact/hooks',
    ],
    ['https://unpkg.com/vue@3/dist/vue.esm-browser.js', 'vue', '3', 'vue/dist/vue.esm-browser.js'],
    ['https://unpkg.com/react@18/umd/react.production.min.js', 'react', '18', 'react'],
    ['https://unpkg.com/lit@3/index.js?module', 'lit', '3', 'lit'],
    ['https://esm.sh/react-dom@19/client', 'react-dom', '19', 'react-dom/client'],
    ['https://esm.sh/v135/react@18.2.0/es2022/react.mjs', 'react', '18.2.0', 'react'],
    [
      'https://esm.sh/*preact-render-to-string@6',
      'preact-render-to-string',
      '6',
      'preact-render-to-string',
    ],
    [
      'https://esm.sh/@lit/reactive-element@2/decorators.js',
      '@lit/reactive-element',
      '2',
      '@lit/reactive-element/decorators.js',
    ],
    ['https://cdn.skypack.dev/canvas-confetti', 'canvas-confetti', undefined, 'canvas-confetti'],
    [
      'https://cdn.skypack.dev/pin/react@v17.0.1-yH0aYV1FOvoIPeKBbHxg/mode=imports/optimized/react.js',
      'react',
      '17.0.1',
      'react',
    ],
    ['https://ga.jspm.io/npm:lit@3.1.0/index.js', 'lit', '3.1.0', 'lit'],
    ['https://esm.run/mitt@3', 'mitt', '3', 'mitt'],
    [
      'https://cdnjs.cloudflare.com/ajax/libs/three.js/0.160.0/three.module.min.js',
      'three',
      '0.160.0',
      'three',
    ],
    ['https://cdnjs.cloudflare.com/ajax/libs/gsap/3.12.5/gsap.min.js', 'gsap', '3.12.5', 'gsap'],
  ])('%s is %s at %s', (address, name, range, specifier) => {
    expect(findCdnPackage(address)).toMatchObject({ name, range, specifier });
  });

  test.each([
    ['another host', 'https://example.org/three@0.160.0/build/three.module.js'],
    ['a look-alike', 'https://unpkg.com.example.org/three'],
    [
      'files of a GitHub repository',
      'https://cdn.jsdelivr.net/gh/mrdoob/three.js@r160/build/three.module.js',
    ],
    [
      'a library that may have another name on npm',
      'https://cdnjs.cloudflare.com/ajax/libs/unknown-lib/1.0.0/x.js',
    ],
    ['no package at all', 'https://unpkg.com/'],
    ['a name that is none', 'https://esm.sh/_x!'],
    ['a path', './three.js'],
    ['a package', 'three'],
  ])('for %s is not recognized', (_, address) => {
    expect(findCdnPackage(address)).toBeUndefined();
  });
});

describe('imports from CDNs', () => {
  test('are found in all kinds of scripts, with their position', () => {
    const text = [
      "import * as THREE from 'https://unpkg.com/three@0.160.0/build/three.module.js';",
      'const { gsap } = await import("https://esm.sh/gsap@3");',
      "import 'https://example.org/other.js';",
    ].join('\n');
    for (const path of ['script.js', 'main.tsx']) {
      const [first, second, ...others] = findCdnImports(path, text);
      expect(others).toEqual([]);
      expect(first).toMatchObject({
        host: 'unpkg.com',
        packages: [{ name: 'three', range: '0.160.0' }],
        line: 1,
        column: 25,
      });
      expect(first?.rewritten?.split('\n')[0]).toBe("import * as THREE from 'three';");
      expect(second).toMatchObject({ line: 2, packages: [{ name: 'gsap', range: '3' }] });
      expect(second?.rewritten?.split('\n')[1]).toBe('const { gsap } = await import("gsap");');
    }
  });

  test('are replaced by bare imports in a page’s module scripts', () => {
    const page = `<script src="https://cdn.skypack.dev/canvas-confetti" type="module"></script>
<script type=module>import { html } from 'https://esm.sh/lit';</script>`;
    const [tag, inline] = findCdnImports('index.html', page);
    expect(tag?.rewritten).toContain(`<script type="module">import 'canvas-confetti';</script>\n`);
    expect(inline?.rewritten).toContain("import { html } from 'lit';</script>");
  });

  test('are removed with an import map that only maps packages', () => {
    const page = `<h1>Hi</h1><script type="importmap">
{ "imports": {
  "three": "https://cdn.jsdelivr.net/npm/three@0.160.0/build/three.module.js",
  "three/addons/": "https://cdn.jsdelivr.net/npm/three@0.160.0/examples/jsm/"
} }</script><p>`;
    const [map, ...others] = findCdnImports('index.html', page);
    expect(others).toEqual([]);
    expect(map?.packages).toEqual([{ name: 'three', range: '0.160.0' }]);
    expect(map?.rewritten).toBe('<h1>Hi</h1><p>');
  });

  test('stay in an import map with other entries', () => {
    const map = (imports: object) =>
      `<script type="importmap">${JSON.stringify({ imports })}</script>`;
    const own = { three: 'https://unpkg.com/three', mine: './mine.js' };
    expect(findCdnImports('index.html', map(own))).toEqual([]);
    const renamed = { T: 'https://unpkg.com/three' };
    expect(findCdnImports('index.html', map(renamed))).toEqual([]);
    expect(findCdnImports('index.html', '<script type="importmap">{</script>//')).toEqual([]);
  });

  test('in a classic script are reported but kept, because other code may need its global', () => {
    const page =
      '<script src="https://code.example/x.js"></script>\n<script src="https://unpkg.com/jquery@3.7.1/dist/jquery.js"></script>';
    const found = findCdnImports('index.html', page);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({
      line: 2,
      rewritten: undefined,
      packages: [{ name: 'jquery', range: '3.7.1' }],
    });
  });

  test('are ignored in other files', () => {
    expect(findCdnImports('notes.md', "import 'https://esm.sh/lit'")).toEqual([]);
  });
});
