import { expect, describe, test } from 'vitest';
import {
  completeWithPlainService,
  applyTextEdits,
  matchesWord,
  TestMarkupProject,
  type MarkupFiles,
} from './markup-projects.ts';

const project = new TestMarkupProject();

async function complete(files: MarkupFiles) {
  const list = await project.handlers.completions(project.open(files));
  return list?.entries ?? [];
}

type Dialect = 'css' | 'scss' | 'less';

/** Completions as in VS Code's service: description, expected entries, dialect, text. */
const offers: readonly (readonly [string, string, Dialect, string])[] = [
  ['properties', 'grid-template-columns', 'css', 'a { grid-tem‸ }'],
  ['properties in an empty rule', 'color', 'css', 'a { ‸ }'],
  ['properties behind a declaration', 'margin-inline', 'css', 'a { color: red; mar‸ }'],
  ['properties in a nested rule', 'padding', 'css', 'a { & b { pad‸ } }'],
  ['properties in a media query', 'display', 'css', '@media print { a { dis‸ } }'],
  ['properties in keyframes', 'opacity', 'css', '@keyframes x { from { op‸ } }'],
  ['descriptors of a font', 'font-display', 'css', '@font-face { font-d‸ }'],
  ['values', 'inline-flex', 'css', 'a { display: inl‸ }'],
  ['values behind a value', 'dashed', 'css', 'a { border: 1px da‸ }'],
  ['values for every property', 'inherit', 'css', 'a { width: inh‸ }'],
  ['colors by name', 'rebeccapurple', 'css', 'a { color: reb‸ }'],
  ['functions of color', 'hsl', 'css', 'a { color: hs‸ }'],
  ['functions of easing', 'cubic-bezier()', 'css', 'a { transition-timing-function: cub‸ }'],
  ['units of length', '10rem', 'css', 'a { width: 10‸ }'],
  ['units of time', '2ms', 'css', 'a { transition-duration: 2‸ }'],
  ['functions of shapes', 'circle()', 'css', 'a { clip-path: cir‸ }'],
  ['pseudo-classes', ':focus-visible', 'css', 'a:focus-v‸ {}'],
  ['pseudo-elements', '::before', 'css', 'a::bef‸ {}'],
  ['tags', 'section', 'css', 'sect‸'],
  ['at-rules', '@supports', 'css', '@sup‸'],
  ['at-rules of Sass in a rule', '@include', 'scss', 'a { @inc‸ }'],
  ['custom properties of the file', '--gap', 'css', ':root { --gap: 1px } a { margin: var(--g‸) }'],
  ['variables of Sass', '$size', 'scss', '$size: 1px; a { width: $‸ }'],
  ['functions of Sass', 'darken', 'scss', 'a { color: dark‸ }'],
  ['mixins of Sass', 'round', 'scss', '@mixin round($r) {} a { @include ro‸ }'],
  ['placeholders of Sass', '%box', 'scss', '%box {} a { @extend %b‸ }'],
  ['modules of Sass', 'sass:math', 'scss', '@use "‸"'],
  ['control of Sass', '@each', 'scss', '@ea‸'],
  ['properties in what Sass nests', 'margin', 'scss', 'a { &:hover { mar‸ } }'],
  ['variables of Less', '@size', 'less', '@size: 1px; a { width: @‸ }'],
  ['functions of Less', 'fade', 'less', 'a { color: fad‸ }'],
  ['mixins of Less', '.round', 'less', '.round() {} a { .ro‸ }'],
  ['properties in Less', 'padding', 'less', 'a { b { pad‸ } }'],
];

describe("style completions match those of VS Code's service", () => {
  test.for(offers)('%s: %s', async ([, wanted, dialect, text]) => {
    const ours = (await complete({ [`a.${dialect}`]: text })).map(({ name }) => name);
    const theirs = completeWithPlainService(dialect, text);
    expect(theirs).toContain(wanted);
    expect(ours).toContain(wanted);
    const fitting = theirs.filter((name) => matchesWord(name, text));
    expect(fitting.filter((name) => !ours.includes(name))).toEqual([]);
  });
});

const css = (text: string, others: MarkupFiles = {}): MarkupFiles => ({ 'a.css': text, ...others });

const ofProject: readonly (readonly [string, readonly string[], MarkupFiles])[] = [
  ['classes of pages', ['.big', '.card'], css('.‸ {}', { 'i.html': '<p class="card big">' })],
  ['classes of JSX', ['.card'], css('.c‸', { 'a.jsx': '<p className="card" />' })],
  [
    'classes of JSX in an expression',
    ['.on', '.tab'],
    css('.‸', { 'a.tsx': `<p className={clsx('tab', { on: x })} />` }),
  ],
  [
    'classes of a template string',
    ['.tab'],
    css('.‸', { 'a.tsx': '<p className={`tab ${x}`} />' }),
  ],
  [
    'classes of Vue',
    ['.card', '.on'],
    css('.‸', { 'A.vue': '<template><p class="card" :class="{ on: x }" /></template>' }),
  ],
  [
    'classes of Svelte',
    ['.card', '.on'],
    css('.‸', { 'A.svelte': '<p class="card {x}" class:on={x}></p>' }),
  ],
  ['classes of a script', ['.open'], css('.‸', { 'a.js': `e.classList.add('open')` })],
  ['classes of other styles', ['.card'], css('.‸', { 'b.css': '.card:hover > a { color: red }' })],
  ['classes in a nested rule', ['.card'], css('a { &.c‸ }', { 'i.html': '<p class="card">' })],
  [
    'classes behind a pseudo-class',
    ['.card'],
    css('a:hover .c‸', { 'i.html': '<p class="card">' }),
  ],
  [
    'classes in a media query',
    ['.card'],
    css('@media print { .c‸ }', { 'i.html': '<p class="card">' }),
  ],
  ['ids', ['#top'], css('#‸', { 'i.html': '<p id="top">' })],
  ['ids in a script', ['#top'], css('#‸', { 'a.js': `document.querySelector('#top')` })],
];

describe('selector completions', () => {
  test.for(ofProject)('%s', async ([, wanted, files]) => {
    const found = (await complete(files)).map(({ name }) => name);
    expect(found.filter((name) => /^[.#]/.test(name))).toEqual(wanted);
  });

  test('offer no names at the start of a color', async () => {
    const found = await complete(css('a { color: #‸ }', { 'i.html': '<p id="top">' }));
    expect(found.map(({ name }) => name)).not.toContain('#top');
  });

  test('offer no names in comments, and none that are invalid in selectors', async () => {
    const files = css('.‸', { 'b.css': '/* .old {} */ .card { }', 'i.html': '<p class="w-1/2">' });
    const names = (await complete(files)).map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('.'))).toEqual(['.card']);
  });
});

describe('custom properties of the project', () => {
  const tokens = ':root { --ink: #111; --gap: calc(1px + 2px); } /* --old: 1; */';

  test.for<readonly [string, string, string]>([
    ['in var()', '--ink', 'a { color: var(‸) }'],
    ['in a value', 'var(--gap)', 'a { margin: ‸ }'],
    ['in a style of Vue', '--ink', ''],
  ])('are offered %s', async ([, wanted, text]) => {
    const files: MarkupFiles = text
      ? { 'a.css': text, 'tokens.css': tokens }
      : { 'A.vue': '<style scoped>a { color: var(--‸) }</style>', 'tokens.css': tokens };
    const names = (await complete(files)).map(({ name }) => name);
    expect(names).toContain(wanted);
    expect(names.join(' ')).not.toContain('--old');
  });

  test('have a hover with their values', async () => {
    const at = project.open({ 'a.css': 'a { color: var(--i‸nk) }', 'tokens.css': tokens });
    expect(await project.handlers.description(at)).toMatchObject({
      code: '--ink: #111  /* tokens.css */',
    });
    expect(await project.handlers.definitions(at)).toEqual([
      { path: 'tokens.css', line: 1, column: 9 },
    ]);
  });

  test('are renamed in styles, attributes and scripts', async () => {
    const files = {
      'tokens.css': ':root { --i‸nk: #111 }',
      'b.scss': 'a { color: var(--ink, red); }',
      'i.html': '<p style="--ink: red"><style>p { color: var(--ink) }</style>',
      'a.js': `e.style.setProperty('--ink', 'red')`,
    };
    const at = project.open(files);
    expect(await project.handlers.renaming(at)).toMatchObject({ name: '--ink' });
    const edits = await project.handlers.rename({ ...at, name: '--text' });
    expect(edits.map(({ path }) => path)).toEqual(Object.keys(files));
    for (const { path, edits: own } of edits) {
      const text = files[path as keyof typeof files];
      expect(applyTextEdits(text, own)).toBe(text.replace('‸', '').replaceAll('--ink', '--text'));
    }
  });
});

const named: readonly (readonly [string, string, string, MarkupFiles])[] = [
  ['a variable of Sass', 'a.scss:1', '$tiny', { 'a.scss': '$size: 1px; a { width: $si‸ze }' }],
  [
    'a mixin of Sass',
    'a.scss:1',
    'rounded',
    { 'a.scss': '@mixin round { }\na { @include ro‸und; }' },
  ],
  ['a variable of Less', 'a.less:1', '@tiny', { 'a.less': '@size: 1px; a { width: @si‸ze }' }],
  [
    'a class in a selector',
    'b.css:2',
    'tile',
    { 'i.html': '<p class="ca‸rd">', 'b.css': '\n.card { }' },
  ],
  ['an id in a selector', 'i.html:1', 'end', { 'i.html': '<p id="top">', 'b.css': '#to‸p { }' }],
];

describe('definitions and rename', () => {
  test.for(named)('work for %s', async ([, location, name, files]) => {
    const at = project.open(files);
    const [found] = await project.handlers.definitions(at);
    expect(`${found?.path}:${found?.line}`).toBe(location);
    const before = (await project.handlers.renaming(at))?.name ?? '';
    expect(before).not.toBe('');
    const edits = await project.handlers.rename({ ...at, name });
    expect(edits.flatMap((file) => file.edits)).toHaveLength(2);
    for (const { path, edits: own } of edits) {
      const text = files[path] ?? '';
      expect(applyTextEdits(text, own)).toBe(text.replace('‸', '').replaceAll(before, name));
    }
  });

  test.for<readonly [string, string]>([
    ['a number', 'a { width: 1‸0px }'],
    ['a property', 'a { wid‸th: 10px }'],
    ['a tag', 'ma‸in { }'],
  ])('%s cannot be renamed', async ([, text]) => {
    expect(await project.handlers.renaming(project.open({ 'a.css': text }))).toBeNull();
  });

  test('list the references of a class', async () => {
    const files = {
      'a.css': '.ca‸rd {}',
      'i.html': '<p>\n<b class="card">',
      'a.js': `x.closest('.card')`,
    };
    const found = await project.handlers.references(project.open(files));
    expect(found.map(({ path, line, text }) => `${path}:${line} ${text}`)).toEqual([
      'a.css:1 .card {}',
      'i.html:2 <b class="card">',
      `a.js:1 x.closest('.card')`,
    ]);
  });

  test('follow a link', async () => {
    const at = project.open({ 'css/a.css': '@import "./b‸.css";', 'css/b.css': '' });
    expect(await project.handlers.definitions(at)).toEqual([
      { path: 'css/b.css', line: 1, column: 1 },
    ]);
  });
});

test('shows a hover for properties, at-rules and selectors', async () => {
  const said = async (text: string) => {
    const found = await project.handlers.description(project.open({ 'a.css': text }));
    return `${found?.code} ${found?.text}`;
  };
  expect(await said('a { disp‸lay: grid }')).toContain('MDN');
  expect(await said('a:hov‸er { }')).toContain(':hover');
  expect(await said('main > .ca‸rd { }')).toMatch(
    /<element class="card">[\s\S]*Specificity: \(0, 1, 1\)/,
  );
});

test.for<readonly [string, string, string]>([
  ['of Sass', '$size', 'a.scss'],
  ['of Less', '@size', 'a.less'],
])('completes partly typed variables %s', async ([, name, path]) => {
  const text = `${name}: 1px; a { width: ${name.slice(0, 3)}‸ }`;
  expect((await complete({ [path]: text })).map((entry) => entry.name)).toContain(name);
});

test('has documentation for a completion', async () => {
  await complete({ 'a.css': 'a { grid-a‸ }' });
  expect((await project.handlers.completion({ name: 'grid-area' }))?.text).toContain('MDN');
  expect(await project.handlers.completion({ name: 'nothing' })).toBeNull();
});

describe('colors', () => {
  const colors = async (files: MarkupFiles) => {
    const { path } = project.open(files);
    return project.handlers.documentColor({ path: path || (Object.keys(files)[0] ?? '') });
  };

  test('are found in every notation, and in markup', async () => {
    const text =
      'a { color: #f00; background: rgb(0 0 255 / 50%); border-color: hsl(120 100% 25%); outline-color: teal }';
    expect(await colors({ 'a.css': text })).toMatchObject([
      { red: 1, green: 0, blue: 0, alpha: 1 },
      { blue: 1, alpha: 0.5 },
      { red: 0 },
      { red: 0 },
    ]);
    const inMarkup = '<p style="color: #0f0"><style lang="scss">$a: red;</style>';
    const found = await colors({ 'A.vue': inMarkup });
    expect(found.map(({ from, to }) => inMarkup.slice(from, to)).toSorted()).toEqual([
      '#0f0',
      'red',
    ]);
  });

  test.for<readonly [string, string]>([
    ['#ff0000', '#0000ff80'],
    ['red', '#0000ff80'],
    ['rgb(1, 2, 3)', 'rgba(0, 0, 255, 0.5)'],
    ['hsl(0 100% 50%)', 'hsla(240, 100%, 50%, 0.5)'],
    ['oklch(60% 0.2 30)', 'oklch('],
  ])('are rewritten in their own notation: %s', async ([before, after]) => {
    const text = `a { color: ${before} }`;
    project.open({ 'a.css': text });
    const color = { red: 0, green: 0, blue: 1, alpha: 0.5 };
    const span = { path: 'a.css', from: 11, to: 11 + before.length };
    expect(await project.handlers.colorPresentation({ ...span, color })).toContain(after);
  });
});

test('survives broken input', async () => {
  for (const text of [
    '{{{{‸',
    '}}}‸',
    `a { b: "‸`,
    '/*‸',
    `${'a{'.repeat(200)}‸`,
    '\0‸',
    'url(‸',
    '@media (‸',
  ])
    expect(Array.isArray(await complete({ 'a.scss': text }))).toBe(true);
});
