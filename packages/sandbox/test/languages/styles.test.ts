import { toTextFiles } from '@vitrine/project';
import { describe, expect, it } from 'vitest';
import { setUpChromium } from '../rig/chromium.ts';
import { compiledTransports, isWhole } from '../rig/transports.ts';

const at = setUpChromium({ sharesPage: true });

const html = (head: string, body = '<main></main>') =>
  `<!doctype html><html><head>${head}</head><body>${body}</body></html>`;
const color = `getComputedStyle(document.querySelector('main')).color`;
const until = (script: string, wanted: unknown) =>
  at.workspace.untilInResult(script, (value) => value === wanted);
const keep = () => at.workspace.inResult('window.kept = 1');
const isKept = async () => expect(await at.workspace.inResult('window.kept')).toBe(1);

const sass = {
  'index.html': html('<link rel="stylesheet" href="css/page.scss">'),
  'css/page.scss': `@use 'ink';\nmain { color: ink.$dark; &:hover { color: red } }`,
  'css/_ink.scss': '$dark: rgb(1, 1, 1);',
};

describe.each(compiledTransports)('stylesheets with the $transport transport', ({ isSrcdoc }) => {
  const run = (files: Record<string, string>) => at.workspace.run({ files, isSrcdoc });

  it('compiles linked Sass, and replaces it when a partial changes', async () => {
    await run(sass);
    await until(color, 'rgb(1, 1, 1)');
    await keep();
    await at.workspace.edit({ 'css/_ink.scss': '$dark: rgb(2, 2, 2);' });
    await until(color, 'rgb(2, 2, 2)');
    await at.workspace.edit({ 'css/page.scss': 'main { color: rgb(3, 3, 3) }' });
    await until(color, 'rgb(3, 3, 3)');
    await isKept();
    await at.workspace.reach('running');
  });

  it('keeps the last working stylesheet while a partial has an error, and reports its location', async () => {
    await run(sass);
    await until(color, 'rgb(1, 1, 1)');
    await at.workspace.edit({ 'css/_ink.scss': '$light: white;\n$dark: $lihgt;' });
    const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
    expect(problems).toMatchObject([
      {
        kind: 'syntax',
        path: 'css/_ink.scss',
        line: 2,
        column: 8,
        message: 'Variable “$lihgt” isn’t defined.',
      },
    ]);
    expect(await at.workspace.inResult(color)).toBe('rgb(1, 1, 1)');
    await at.workspace.edit({ 'css/_ink.scss': '$dark: rgb(2, 2, 2);' });
    await until(color, 'rgb(2, 2, 2)');
    expect((await at.workspace.seen()).problems).toEqual([]);
  });

  it('compiles imported Sass and Less, and replaces them after an edit', async () => {
    await run({
      'index.html': html('<script type="module" src="main.js"></script>'),
      'main.js': `import './a.scss';\nimport './b.less';\ndocument.title = ${color};`,
      'a.scss': 'main { &.a { color: red } top: 1px }',
      'b.less': '@import "ink";\nmain { color: @ink }',
      'ink.less': '@ink: rgb(1, 1, 1);',
    });
    await until('document.title', 'rgb(1, 1, 1)');
    await keep();
    await at.workspace.edit({ 'ink.less': '@ink: rgb(2, 2, 2);' });
    await until(color, 'rgb(2, 2, 2)');
    await at.workspace.edit({ 'a.scss': 'html main { color: rgb(3, 3, 3) }' });
    await until(color, 'rgb(3, 3, 3)');
    await isKept();
  });

  it('doesn’t report errors of a partial that only compiles where it is imported', async () => {
    await run({
      'index.html': html('<link rel="stylesheet" href="a.less">'),
      'a.less': '@ink: rgb(1, 1, 1);\n@import "part";',
      'part.less': 'main { color: @ink }',
    });
    await until(color, 'rgb(1, 1, 1)');
    expect((await at.workspace.seen()).problems).toEqual([]);
    await keep();
    await at.workspace.edit({ 'part.less': 'main { color: darken(@ink, 100%) }' });
    await until(color, 'rgb(0, 0, 0)');
    expect((await at.workspace.seen()).problems).toEqual([]);
    await isKept();
  });

  it('provides the class names of a CSS module, and updates when they change', async () => {
    await run({
      'index.html': html('<script type="module" src="main.js"></script>'),
      'main.js': `import styles, { ink } from './ui/main.module.css';
document.querySelector('main').className = styles.page;
document.title = [ink === styles.ink, ${color}].join();`,
      'ui/main.module.css': `.page { composes: base from '../base.module.scss'; }\n.ink { top: 0 }`,
      'base.module.scss': '.base { & { color: rgb(1, 1, 1) } }',
    });
    await until('document.title', 'true,rgb(1, 1, 1)');
    await keep();
    await at.workspace.edit({ 'base.module.scss': '.base { color: rgb(2, 2, 2) }' });
    await until(color, 'rgb(2, 2, 2)');
    await isKept();
    await at.workspace.edit({ 'ui/main.module.css': '.page { color: rgb(3, 3, 3) }\n.ink2 {}' });
    const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
    expect(problems[0]?.message).toMatch(/ink/);
  });

  it('compiles Tailwind with the classes in a page, as they are typed', async () => {
    const page = (classes: string) =>
      html('<link rel="stylesheet" href="a.css">', `<main class="${classes}">Hi</main>`);
    await run({
      'index.html': page('text-[rgb(1,1,1)]'),
      'a.css': '@import "tailwindcss";',
    });
    await until(color, 'rgb(1, 1, 1)');
    await keep();
    await at.workspace.edit({ 'index.html': page('text-[rgb(2,2,2)] mt-4') });
    await until(color, 'rgb(2, 2, 2)');
    if (!isSrcdoc) await isKept();
    await until(`getComputedStyle(document.querySelector('main')).marginTop`, '16px');
    await at.workspace.edit({ 'a.css': '@import "tailwindcss";\n@plugin "x";' });
    const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
    expect(problems).toMatchObject([{ path: 'a.css', line: 2, column: 1 }]);
  });

  it('shows Markdown as a page, and updates it as it is typed', async () => {
    const heading = `document.querySelector('h1')?.textContent`;
    await run({
      'index.md': '---\nlayout: none\n---\n# Birds\n\n![](robin.svg)\n\n[More](more.md#b)',
      'more.md':
        '# More\n\n<script type="module">import { word } from "./word.js"; document.title = word;</script>',
      'word.js': `export const word = 'ran';`,
      'robin.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"></svg>',
    });
    await until(heading, 'Birds');
    expect(await at.workspace.inResult('document.compatMode + document.title')).toBe(
      'CSS1CompatBirds',
    );
    await until('document.querySelector("img").naturalWidth', 20);
    await keep();
    await at.workspace.edit({ 'index.md': '# Trees\n\n[More](more.md#b)' });
    await until(heading, 'Trees');
    if (!isSrcdoc) await isKept();
    await at.workspace.inResult('document.querySelector("a").click()');
    await until(heading, 'More');
    await until('document.title', 'ran');
  });

  it('provides scripts with HTML of Markdown, URLs and raw texts', async () => {
    await run({
      'index.html': html('<script type="module" src="src/main.js"></script>', '<main><img></main>'),
      'src/main.js': `import notes from './notes.md';
import mark from '../mark.svg';
import same from '../mark.svg?url';
import text from './notes.md?raw';
import code from './main.js?raw';
const image = document.querySelector('img');
image.src = mark;
await image.decode();
const by = new URL('../mark.svg', import.meta.url);
document.title = [notes.trim(), same === mark, text, code.includes('import notes'),
  image.naturalWidth, (await (await fetch(by)).text()).includes('<svg')].join();`,
      'src/notes.md': '**bold**',
      'mark.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"></svg>',
    });
    await until('document.title', '<p><strong>bold</strong></p>,true,**bold**,true,20,true');
  });
});

describe('stylesheets of a saved project', () => {
  const save = (files: Record<string, string>) => {
    const slug = `styledsave${at.rig.projects.size}`;
    const all = toTextFiles(Object.entries(files));
    at.rig.projects.set(slug, { id: slug, slug, revision: 1, isPrivate: false, files: all });
    return { files, key: `edit--${slug}`, served: { revision: 1 } };
  };

  it('are compiled by the server, and replaced when a partial changes first', async () => {
    await at.workspace.run(save(sass));
    await until(color, 'rgb(1, 1, 1)');
    await keep();
    await at.workspace.edit({ 'css/_ink.scss': '$dark: rgb(2, 2, 2);' });
    await until(color, 'rgb(2, 2, 2)');
    await isKept();
  });

  it('P-15 are CSS for a page, and source text when read', async () => {
    await at.workspace.run(save(sass));
    const read = `fetch('css/page.scss').then((response) => response.text())`;
    expect(await at.workspace.inResult(read)).toBe(sass['css/page.scss']);
  });

  it('contain Tailwind’s classes of the served page', async () => {
    await at.workspace.run(
      save({
        'index.html': html(
          '<link rel="stylesheet" href="a.css">',
          '<main class="text-[rgb(4,4,4)]">Hi</main>',
        ),
        'a.css': '@import "tailwindcss";',
      }),
    );
    await until(color, 'rgb(4, 4, 4)');
  });
});

describe('both compilers', () => {
  /** A stylesheet in each language, and some with errors. */
  const sheets: Record<string, string> = {
    'a.scss': `@use 'sass:color';\n@use 'part' as *;\n.a { color: color.adjust($ink, $lightness: 9%); @include wide { top: 1px } }`,
    'part.scss':
      '$ink: #b5651d;\n@mixin wide { @media (min-width: 9px) { @content } }\n.é { content: "é" }',
    'b.sass': '.b\n  @for $i from 1 through 3\n    &-#{$i}\n      width: 10px * $i',
    'c.less':
      '@import "d.less";\n.c when (@w > 2px) { color: fade(@ink, 50%); .d(); width: ~"calc(1px + @{w})" }',
    'd.less':
      '@ink: #b5651d; @w: 3px;\n.dd { top: 0 }\n.d() { @media (min-width: 9px) { top: 1px } }',
    'e.css':
      '@import "tailwindcss";\n@theme { --color-clay: #b5651d }\n.e { @apply p-4 text-clay hover:underline; }',
    'f.module.css':
      '.g { color: red }\n.f { composes: g; composes: x-y from "./h.module.scss"; top: 0 }',
    'h.module.scss': '.x { &-y { top: 1px } }',
    'wrong.scss': '.a { color: $no }',
    'wrong.less': '.a { color: @no }',
    'wrong.module.css': '.a {',
  };
  const links = Object.keys(sheets).map((path) => `<link rel="stylesheet" href="${path}">`);
  const files = {
    ...sheets,
    'index.html': html(
      links.join(''),
      '<main class="mt-3 md:p-[3px] before:content-[\'x\']"></main>',
    ),
  };
  const rules = `JSON.stringify([...document.styleSheets].map((sheet) => [...sheet.cssRules].map((rule) => rule.cssText)))`;

  it('produce the same stylesheets', async () => {
    await at.workspace.run({ files });
    const byWorker = await at.workspace.inResult(rules);
    const origin = `http://saved0sheets.vitrine.localhost:${at.rig.port}`;
    at.rig.projects.set('saved0sheets', {
      id: 'saved0sheets',
      slug: 'saved0sheets',
      revision: 1,
      isPrivate: false,
      files: toTextFiles(Object.entries(files)),
    });
    const page = await at.context.newPage();
    await page.goto(`${origin}/`);
    await page.getByRole('link', { name: 'Continue to the page' }).click();
    await page.waitForFunction(
      'document.readyState === "complete" && document.styleSheets.length > 1',
    );
    const byServer = await page.evaluate(rules);
    expect(byServer).toBe(byWorker);
    expect((JSON.parse(String(byServer)) as string[][]).map((sheet) => sheet.length > 0)).toEqual(
      Object.keys(sheets).map((path) => !path.startsWith('wrong')),
    );
  });
});

it.runIf(isWhole)(
  'aborts a stylesheet with an infinite loop, and compiles the next one',
  async () => {
    await at.workspace.run({ files: sass });
    await until(color, 'rgb(1, 1, 1)');
    await at.workspace.edit({ 'css/page.scss': '@while true { }' });
    const { problems } = await at.workspace.seenUntil(
      (seen) => seen.problems.length > 0,
      'the diagnostic',
      15_000,
    );
    expect(problems[0]?.message).toMatch(/took too long/);
    await at.workspace.edit({ 'css/page.scss': 'main { color: rgb(5, 5, 5) }' });
    await until(color, 'rgb(5, 5, 5)');
  },
);
