import { describe, expect, it } from 'vitest';
import {
  flattenCss,
  inlinePageWithoutScripts,
  inlineProject,
  resolvePath,
  rewriteCss,
} from '../src/index.ts';
import { applyEdits, findImportEdits } from '../src/rewrite-module.ts';

describe('URLs in a project', () => {
  it.each([
    ['css/site.css', '../img/a%20b.svg?x#y', 'img/a b.svg'],
    ['index.html', './a.js', 'a.js'],
    ['a/b.html', '/c.js', 'c.js'],
    ['index.html', '//host/x', undefined],
    ['index.html', 'data:text/css,', undefined],
    ['index.html', '#top', undefined],
    ['index.html', '../../a.js', 'a.js'],
    ['index.html', 'a%.js', undefined],
  ])('in %s, %s is %s', (from, address, path) => {
    expect(resolvePath(from, address)).toBe(path);
  });
});

describe('rewriting a stylesheet', () => {
  const upper = { rewriteUrl: (address: string) => address.toUpperCase() };

  it('finds URLs in all notations', () => {
    const css = `a{b:url(x.png) url( "y.png" ) url('z.png')} /* url(no) */ c::after{content:"url(no)"}`;
    expect(rewriteCss(css, upper)).toBe(
      `a{b:url("X.PNG") url("Y.PNG") url("Z.PNG")} /* url(no) */ c::after{content:"url(no)"}`,
    );
  });

  it('inlines imported files, with their conditions', () => {
    const files = new Map([
      ['a.css', '@import "lib/b.css" layer(base) screen;\na{}'],
      ['lib/b.css', '@import url(c.css);b{background:url(i.svg)}'],
      ['lib/c.css', '@import "b.css";c{}'],
    ]);
    expect(
      flattenCss(
        'a.css',
        (path) => files.get(path),
        (path) => `/${path}`,
      ),
    ).toBe('@media screen {@layer base {c{}b{background:url("/lib/i.svg")}}}\na{}');
  });

  it('keeps external imports at the start', () => {
    const css = 'a{}@import url("https://example.org/x.css") print;';
    expect(
      flattenCss(
        'a.css',
        () => css,
        () => undefined,
      ),
    ).toBe('@import url("https://example.org/x.css") print;\na{}');
  });
});

describe('rewriting a module', () => {
  const mark = ({ specifier }: { specifier: string }) => `to:${specifier}`;

  it('rewrites all literal specifiers', () => {
    const source = `import a from './a.js';\nexport * from "./b.js";\nconst c = () => import('./c.js');\nimport(name);`;
    expect(applyEdits(source, findImportEdits(source, mark))).toBe(
      `import a from 'to:./a.js';\nexport * from "to:./b.js";\nconst c = () => import("to:./c.js");\nimport(name);`,
    );
  });

  it('keeps specifiers for which undefined is returned', () => {
    expect(findImportEdits(`import 'react'`, () => undefined)).toEqual([]);
  });
});

describe('an inlined project', () => {
  const file = (path: string, text: string, mediaType: string) => ({
    path,
    text,
    isAsset: false,
    mediaType,
    code: null,
    module: null,
  });
  const project = [
    file(
      'index.html',
      '<link rel=stylesheet href="a.css"><script type=module src="m.js"></script><img src="i.svg#x"><a href="b.html">',
      'text/html',
    ),
    file('m.js', `import './lib/n.js'; import 'react'`, 'text/javascript'),
    file('lib/n.js', `import '../m.js'`, 'text/javascript'),
    file('a.css', 'a{b:url(i.svg)}', 'text/css'),
    file('i.svg', '<svg/>', 'image/svg+xml'),
  ];

  it('replaces URLs of loaded files, but not links', () => {
    const { html } = inlineProject(project, 'index.html');
    expect(html).toContain('<link rel=stylesheet href="vitrine-file:a.css">');
    expect(html).toContain('<img src="vitrine-file:i.svg#x"><a href="b.html">');
  });

  it('resolves imports between modules by an import map, also in circles', () => {
    const { html, files } = inlineProject(project, 'index.html');
    expect(html).toContain('"vitrine-module:lib/n.js":"vitrine-file:lib/n.js"');
    const texts = Object.fromEntries(files.map(({ path, text }) => [path, text]));
    expect(texts['m.js']).toBe(`import 'vitrine-module:lib/n.js'; import 'react'`);
    expect(texts['lib/n.js']).toBe(`import 'vitrine-module:m.js'`);
  });

  it('keeps line numbers after a URL that spans several lines', () => {
    const script = `const a = new URL(\n  './i.svg',\n  import.meta.url,\n);\nlast();`;
    const { files } = inlineProject(
      [...project, file('s.js', script, 'text/javascript')],
      'index.html',
    );
    const text = files.find(({ path }) => path === 's.js')?.text ?? '';
    expect(text.replace(/\s+/g, ' ')).toBe('const a = new URL( "vitrine-file:i.svg" , ); last();');
    expect(text.split('\n').indexOf('last();')).toBe(4);
  });

  it('orders files so that each refers only to earlier ones', () => {
    const { files } = inlineProject(project, 'index.html');
    const paths = files.map(({ path }) => path);
    expect(paths.indexOf('i.svg')).toBeLessThan(paths.indexOf('a.css'));
  });

  it('keeps the import map of the page, with rewritten URLs', () => {
    const page = file(
      'index.html',
      '<script type="importmap">{"imports":{"n":"./lib/n.js"}}</script>',
      'text/html',
    );
    const { html } = inlineProject([page, ...project.slice(1)], 'index.html');
    expect(html.match(/importmap/g)).toHaveLength(1);
    expect(html).toContain('"n":"vitrine-file:lib/n.js"');
  });

  it('inlines a page without scripts and without an import map', () => {
    const text = '<style>a{b:url(i.svg)}</style><img src="i.svg"><img src="none.svg">';
    const page = file('index.html', text, 'text/html');
    const { html } = inlineProject([page, ...project.slice(1)], 'index.html');
    const texts = new Map(project.map(({ path, text: its }) => [path, its]));
    expect(html).toBe(inlinePageWithoutScripts('index.html', text, (path) => texts.get(path)));
    expect(html).not.toContain('<script');
  });

  it('throws if the entry page is missing', () => {
    expect(() => inlineProject(project, 'none.html')).toThrow(
      'the entry none.html is not one of the files',
    );
  });
});
