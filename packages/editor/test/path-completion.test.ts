import { CompletionContext } from '@codemirror/autocomplete';
import { ensureSyntaxTree } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
import { filePath, hasLanguageService } from '../src/language-facets.ts';
import { findLanguage, loadLanguage } from '../src/languages.ts';
import { completePath, projectPaths } from '../src/path-completion.ts';

const files = [
  'index.html',
  'about/index.html',
  'css/style.css',
  'css/_mixins.scss',
  'fonts/round.woff2',
  'images/sea.jpg',
  'images/icons/save.svg',
  'js/main.js',
  'js/part.ts',
  'js/data.json',
  'notes.md',
  'public/logo.png',
  '.env',
  'images/my sea #1.jpg',
];

async function complete(path: string, marked: string, hasService = true) {
  await loadLanguage(path);
  const doc = marked.replace('‸', '');
  const state = EditorState.create({
    doc,
    extensions: [
      findLanguage(path, { texts: () => [] }) ?? [],
      filePath.of(path),
      hasLanguageService.of(hasService),
      projectPaths.of({ list: () => files, loadPicture: async () => undefined }),
    ],
  });
  ensureSyntaxTree(state, doc.length, 5_000);
  // The state has the tree that was parsed since from its next transaction on.
  const parsed = state.update({}).state;
  const found = completePath(new CompletionContext(parsed, marked.indexOf('‸'), false));
  return found && { ...found, labels: found.options.map(({ label }) => label) };
}

/** Kind of place, file, text, the offered path, and what it replaces. */
const places: readonly (readonly [string, string, string, string, string])[] = [
  ['an image', 'index.html', '<img src="s‸">', 'images/sea.jpg', 's'],
  ['an image without quotes', 'index.html', '<img src=s‸', 'images/sea.jpg', 's'],
  ['an image beside another', 'index.html', '<img alt="a > b" src=\'‸\'>', 'images/sea.jpg', ''],
  ['an image in a folder', 'about/index.html', '<img src="‸">', '../images/sea.jpg', ''],
  ['an image above', 'about/index.html', '<img src="../im‸">', '../images/sea.jpg', '../im'],
  ['an image beside a page', 'index.html', '<img src="./im‸">', './images/sea.jpg', './im'],
  ['an image from the root', 'about/index.html', '<img src="/im‸">', '/images/sea.jpg', '/im'],
  ['a public file', 'index.html', '<img src="lo‸">', '/logo.png', 'lo'],
  ['a link', 'index.html', '<a href="ab‸">', 'about/index.html', 'ab'],
  ['a stylesheet', 'index.html', '<link rel="stylesheet" href="‸">', 'css/style.css', ''],
  ['a script', 'index.html', '<script src="‸"></script>', 'js/main.js', ''],
  ['a candidate', 'index.html', '<img srcset="a.png 1x, im‸">', 'images/sea.jpg', 'im'],
  ['a poster', 'index.html', '<video poster="‸">', 'images/sea.jpg', ''],
  ['an object', 'index.html', '<object data="‸">', 'images/sea.jpg', ''],
  ['an SVG image', 'index.html', '<svg><image xlink:href="‸">', 'images/sea.jpg', ''],
  ['a style attribute', 'index.html', '<p style="background: url(‸)">', 'images/sea.jpg', ''],
  ['a style in a page', 'index.html', '<style>p { background: url(im‸', 'images/sea.jpg', 'im'],
  [
    'an import in a page',
    'index.html',
    "<script type=module>import './‸'",
    './css/style.css',
    './',
  ],
  ['a component', 'A.vue', '<template><img src="./‸" /></template>', './images/sea.jpg', './'],
  ['url()', 'css/style.css', 'p { background: url("../im‸") }', '../images/sea.jpg', '../im'],
  ['a font', 'css/style.css', '@font-face { src: url(‸) }', '../fonts/round.woff2', ''],
  ['an @import', 'index.css', '@import "cs‸";', 'css/style.css', 'cs'],
  ['an @use', 'css/main.scss', "@use '‸';", '_mixins.scss', ''],
  ['an import of a script', 'js/main.js', "import data from './d‸'", './data.json', './d'],
  ['an import from above', 'js/main.js', "import '../‸'", '../css/style.css', '../'],
  ['an import()', 'js/main.js', "await import('./‸')", './data.json', './'],
  ['new URL()', 'js/main.js', "new URL('../im‸', import.meta.url)", '../images/sea.jpg', '../im'],
  ['fetch()', 'js/main.js', "fetch('‸')", 'js/data.json', ''],
  ['an assignment', 'js/main.js', "image.src = 'im‸'", 'images/sea.jpg', 'im'],
  ['JSX', 'js/App.jsx', '<img src="im‸" />', 'images/sea.jpg', 'im'],
  ['JSX in braces', 'js/App.tsx', "<img src={'‸'} />", 'images/sea.jpg', ''],
  ['srcSet', 'js/App.tsx', '<img srcSet="a.png 1x, ‸" />', 'images/sea.jpg', ''],
  ['a link of Markdown', 'notes.md', '[more](ab‸)', 'about/index.html', 'ab'],
  ['a picture of Markdown', 'about/notes.md', '![the sea](‸)', '../images/sea.jpg', ''],
  ['a definition of Markdown', 'notes.md', '[sea]: im‸', 'images/sea.jpg', 'im'],
  ['HTML in Markdown', 'notes.md', '<img src="im‸">', 'images/sea.jpg', 'im'],
];

test.for(places)('completes the path of %s', async ([, path, marked, wanted, replaced]) => {
  const found = await complete(path, marked);
  expect(found?.labels).toContain(wanted);
  expect(marked.slice(found?.from, marked.indexOf('‸'))).toBe(replaced);
});

test.for([
  ['text of a page', 'index.html', '<p>src="‸'],
  ['another attribute', 'index.html', '<img alt="s‸">'],
  ['the size of a candidate', 'index.html', '<img srcset="a.png 1‸">'],
  ['another site', 'index.html', '<a href="https://e‸">'],
  ['a fragment', 'index.html', '<a href="#a‸">'],
  ['a package', 'js/main.js', "import 're‸'"],
  ['a string', 'js/main.js', "const name = './‸'"],
  ['a value', 'css/style.css', 'p { color: r‸ }'],
  ['text of Markdown', 'notes.md', 'the [sea] ‸'],
] as const)('completes no path in %s', async ([, path, marked]) => {
  expect(await complete(path, marked)).toBeNull();
});

test('lists the likely files first, and neither the file itself nor hidden ones', async () => {
  const found = await complete('index.html', '<img src="‸">');
  const [first, ...others] = (found?.options ?? []).toSorted(
    (a, b) => (b.boost ?? 0) - (a.boost ?? 0),
  );
  expect([first?.label, found?.labels.length]).toEqual(['images/sea.jpg', files.length - 2]);
  expect(others.slice(0, 2).map(({ label }) => label)).toEqual([
    'images/icons/save.svg',
    '/logo.png',
  ]);
});

test('encodes what would end the address', async () => {
  const apply = async (path: string, marked: string) =>
    (await complete(path, marked))?.options.find(({ label }) => label.endsWith('my sea #1.jpg'))
      ?.apply;
  expect(await apply('notes.md', '![the sea](‸)')).toBe('images/my%20sea%20%231.jpg');
  expect(await apply('js/main.js', "import '../‸'")).toBeUndefined();
});

test('leaves scripts in imports to TypeScript, where it runs', async () => {
  const text = "import { part } from './‸'";
  expect((await complete('js/main.js', text))?.labels).not.toContain('./part.ts');
  expect((await complete('js/main.js', text, false))?.labels).toContain('./part.ts');
});

test('keeps its list while the path is typed, in the form that was begun', async () => {
  const found = await complete('index.html', '<img src="‸">');
  const isValid = (text: string) =>
    typeof found?.validFor === 'function' && found.validFor(text, 0, 0, EditorState.create());
  expect(['', 'im', 'images/sea', 'my file'].map(isValid)).toEqual([true, true, true, true]);
  expect(['/', './', '../im', 'a"'].map(isValid)).toEqual([false, false, false, false]);
});
