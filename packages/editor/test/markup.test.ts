import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { describe, expect, test } from 'vitest';
import { filePath } from '../src/language-facets.ts';
import { completeMarkup } from '../src/language-service/complete-markup.ts';
import type { FilePosition } from '../src/typescript/messages.ts';
import type { MarkupClient } from '../src/language-service/markup-client.ts';
import { toSnippetTemplate } from '../src/language-service/snippet-template.ts';
import { MarkupFile } from '../src/markup/markup-file.ts';
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

const namesOf = async (files: MarkupFiles) => (await complete(files)).map(({ name }) => name);

const offers: readonly (readonly [string, string, string])[] = [
  ['tags', 'section', '<sec‸'],
  ['tags behind a bracket', 'dialog', '<‸'],
  ['tags in a tag', 'li', '<ul><l‸</ul>'],
  ['tags behind text', 'strong', '<p>some <str‸</p>'],
  ['the tag that is open', '/main', '<main><p></p></‸'],
  ['tags of tables', 'caption', '<table><cap‸</table>'],
  ['attributes', 'placeholder', '<input pla‸>'],
  ['attributes behind an attribute', 'required', '<input type="text" req‸>'],
  ['attributes that all have', 'tabindex', '<div tab‸></div>'],
  ['attributes of a link', 'hreflang', '<a href="" hr‸>'],
  ['attributes of a picture', 'loading', '<img loa‸>'],
  ['attributes of a form', 'novalidate', '<form nov‸>'],
  ['attributes of a button', 'popovertarget', '<button pop‸>'],
  ['attributes that are ARIA’s', 'aria-labelledby', '<div aria-l‸>'],
  ['attributes of events', 'onclick', '<div oncl‸>'],
  ['attributes of an element’s own data', 'data-', '<div da‸>'],
  ['types of a field', 'email', '<input type="‸">'],
  ['types that are begun', 'number', '<input type="nu‸">'],
  ['values without quotes', 'checkbox', '<input type=‸>'],
  ['values in single quotes', 'radio', `<input type='‸'>`],
  ['ways to load', 'lazy', '<img loading="‸">'],
  ['targets', '_blank', '<a target="‸">'],
  ['ways to load a film', 'metadata', '<video preload="‸">'],
  ['methods', 'post', '<form method="‸">'],
  ['roles', 'tablist', '<div role="‸">'],
  ['states of ARIA', 'mixed', '<div aria-pressed="‸">'],
  ['words of ARIA', 'polite', '<div aria-live="‸">'],
  ['purposes of a field', 'current-password', '<input autocomplete="‸">'],
  ['directions', 'rtl', '<p dir="‸">'],
  ['entities', '&nbsp;', '<p>&nb‸</p>'],
  ['entities in a value', '&quot;', '<p title="&qu‸">'],
  ['the other tag in the middle', '/b', '<i><b>x</‸</i>'],
];

describe("markup completions match those of VS Code's service", () => {
  test.for(offers)('%s: %s', async ([, wanted, text]) => {
    const ours = await namesOf({ 'i.html': text });
    const theirs = completeWithPlainService('html', text);
    expect(theirs).toContain(wanted);
    expect(ours).toContain(wanted);
    // Entities are only offered after `&`.
    const fitting = theirs.filter((name) => matchesWord(name, text) && !name.startsWith('&'));
    expect(fitting.filter((name) => !ours.includes(name))).toEqual([]);
  });
});

const styles = '.card, .big > a { } #nav { }';
const ofProject: readonly (readonly [string, readonly string[], MarkupFiles])[] = [
  ['classes of its styles', ['big', 'card'], { 'i.html': '<p class="‸">', 'a.css': styles }],
  ['classes behind a class', ['big', 'card'], { 'i.html': '<p class="x ‸">', 'a.scss': styles }],
  ['classes without quotes', ['big', 'card'], { 'i.html': '<p class=‸>', 'a.css': styles }],
  ['classes of a page’s own style', ['here'], { 'i.html': '<style>.here {}</style><p class="‸">' }],
  [
    'classes in Vue',
    ['big', 'card'],
    { 'A.vue': '<template><p class="‸" /></template>', 'a.css': styles },
  ],
  [
    'classes in Svelte',
    ['big', 'card'],
    { 'A.svelte': '{#if a > 1}<p class="‸" />{/if}', 'a.css': styles },
  ],
  ['ids for labels', ['name'], { 'i.html': '<label for="‸"></label><input id="name">' }],
  [
    'ids for ARIA',
    ['a', 'b'],
    { 'i.html': '<i id="a"></i><i id="b"></i><p aria-describedby="a ‸">' },
  ],
  ['ids for links', ['#end'], { 'i.html': '<a href="‸"></a><i id="end">' }],
  ['ids for popovers', ['menu'], { 'i.html': '<button popovertarget="‸"></button><i id="menu">' }],
  ['ids of this page alone', [], { 'i.html': '<label for="‸">', 'b.html': '<i id="there">' }],
  [
    'ids of other components',
    ['there'],
    {
      'A.vue': '<template><label for="‸" /></template>',
      'B.vue': '<template><i id="there" /></template>',
    },
  ],
  ['ids that styles speak of', ['nav'], { 'i.html': '<nav id="‸">', 'a.css': styles }],
];

describe('names of the project', () => {
  test.for(ofProject)('are offered: %s', async ([, wanted, files]) => {
    const found = await namesOf(files);
    expect(found.toSorted()).toEqual(wanted.toSorted());
  });

  test('are offered in scripts', async () => {
    const asked = (text: string, others: MarkupFiles = { 'a.css': styles, 'b.svg': '' }) =>
      namesOf({ 'src/a.tsx': text, ...others });
    expect(await asked('<p className="‸" />')).toEqual(['big', 'card']);
    expect(await asked('<p className={`x ‸`} />')).toEqual(['big', 'card']);
    expect(await asked('<img src="../‸" />')).toEqual([]);
    expect(await asked(`const x = '‸'`)).toEqual([]);
  });
});

const inComponents: readonly (readonly [string, string, string, string])[] = [
  ['directives', 'v-model', 'A.vue', '<template><input v-‸ /></template>'],
  ['events', '@click', 'A.vue', '<template><b @cl‸></b></template>'],
  ['bound attributes', ':class', 'A.vue', '<template><b :cl‸></b></template>'],
  ['tags of Vue', 'Teleport', 'A.vue', '<template><Tele‸</template>'],
  [
    'imported components of Vue',
    'MyCard',
    'A.vue',
    `<script setup>import MyCard from './C.vue'</script><template><My‸</template>`,
  ],
  ['attributes behind code', 'title', 'A.vue', '<template><b @click="a > b" ti‸></b></template>'],
  ['tags behind a comparison', 'section', 'A.vue', '<template>{{ a < b }}<sec‸</template>'],
  ['bindings', 'bind:value', 'A.svelte', '<input bin‸ />'],
  ['tags of Svelte', 'svelte:head', 'A.svelte', '<svel‸'],
  [
    'imported components of Svelte',
    'MyCard',
    'A.svelte',
    `<script>import MyCard from './C.svelte'</script><My‸`,
  ],
  ['attributes behind an arrow', 'title', 'A.svelte', '<b onclick={() => a > 1} ti‸></b>'],
  ['tags in a block', 'section', 'A.svelte', '{#each a as b}<sec‸{/each}'],
  ['properties in a style', 'color', 'A.vue', '<style scoped>a { col‸ }</style>'],
  ['properties in Sass', 'color', 'A.vue', '<style lang="scss">a { &:hover { col‸ } }</style>'],
  [
    'variables in Sass',
    '$size',
    'A.svelte',
    '<style lang="scss">$size: 1px; a { width: $‸ }</style>',
  ],
  ['properties in Less', 'color', 'A.vue', '<style lang="less">a { b { col‸ } }</style>'],
  ['properties in a page', 'color', 'i.html', '<style>a { col‸ }</style>'],
  ['properties of an element', 'color', 'i.html', '<p style="col‸">'],
  ['values of an element', 'teal', 'i.html', '<p style="margin: 0; color: te‸">'],
  ['values after other styles', 'teal', 'i.html', '<p style="top: 0"><p style="color: te‸">'],
];

test.for(inComponents)('completes %s: %s', async ([, wanted, path, text]) => {
  expect(await namesOf({ [path]: text })).toContain(wanted);
});

test('offers snippets at the start of a line, and not in text', async () => {
  expect(await namesOf({ 'i.html': '<main>\n  fi‸\n</main>' })).toContain('field');
  expect(await namesOf({ 'A.svelte': '<main>\n  ea‸\n</main>' })).toContain('each-block');
  expect(await namesOf({ 'A.vue': '<template>\n  fo‸\n</template>' })).toContain('for-each');
  expect(await namesOf({ 'a.css': 'media‸' })).toContain('media-dark');
  expect(await namesOf({ 'a.css': 'a { grid‸ }' })).toContain('grid-center');
  expect(await namesOf({ 'i.html': '<p>the magnetic fi‸</p>' })).toEqual([]);
});

test.for<readonly [string, string, string]>([
  ['in a script', 'i.html', '<script>doc‸</script>'],
  ['in Stylus', 'A.vue', '<style lang="stylus">a‸</style>'],
  ['in a file that is not there', 'x.txt', 'a‸'],
])('completes nothing %s', async ([, path, text]) => {
  expect(await complete({ [path]: text })).toEqual([]);
});

describe('hover', () => {
  test.for<readonly [string, string, RegExp]>([
    ['a tag', '<mai‸n>', /dominant contents|main/],
    ['an attribute', '<img loadi‸ng="lazy">', /load/],
    ['a property of an element', '<p style="colo‸r: red">', /color/],
  ])('describes %s', async ([, text, wanted]) => {
    const found = await project.handlers.description(project.open({ 'i.html': text }));
    expect(`${found?.code}${found?.text}`).toMatch(wanted);
  });

  test('is empty in text', async () => {
    const at = project.open({ 'i.html': '<p>so‸me</p>' });
    expect(await project.handlers.description(at)).toBeNull();
  });
});

test.for<readonly [string, string, string]>([
  ['from its beginning', '<di‸v><p></p></div>', '<main><p></p></main>'],
  ['from its end', '<div><div></div></di‸v>', '<main><div></div></main>'],
  ['in Svelte', '<di‸v onclick={() => 1 > 2}></div>', '<main onclick={() => 1 > 2}></main>'],
])('renames a pair of tags %s', async ([, text, wanted]) => {
  const path = text.includes('{') ? 'A.svelte' : 'i.html';
  const at = project.open({ [path]: text });
  expect(await project.handlers.renaming(at)).toMatchObject({ name: 'div' });
  const [edits] = await project.handlers.rename({ ...at, name: 'main' });
  expect(applyTextEdits(text, edits?.edits ?? [])).toBe(wanted);
});

test.for<readonly [string, string, MarkupFiles]>([
  ['the file of an address', 'js/a.js:1', { 'i.html': '<script src="js/a‸.js">', 'js/a.js': '' }],
  ['the element of an id', 'i.html:2', { 'i.html': '<label for="na‸me">\n<input id="name">' }],
  ['the element of a link', 'i.html:2', { 'i.html': '<a href="#na‸me">\n<input id="name">' }],
  [
    'the rule of a class',
    'a.scss:3',
    { 'i.html': '<p class="x ca‸rd">', 'a.scss': '\na {\n.card { } }' },
  ],
])('goes to the definition of %s', async ([, location, files]) => {
  const found = await project.handlers.definitions(project.open(files));
  expect(found.map(({ path, line }) => `${path}:${line}`)).toEqual([location]);
});

test.for<readonly [string, string]>([
  ['color: $0;', 'color: ${0};'],
  ['href="$1"', 'href="${1}"'],
  ['${1:name} { $0 }', '${1:name} \\{ ${0} \\}'],
  ['${1|red,blue|}', '${1:red}'],
  ['cost: \\$1', 'cost: $1'],
])("converts the snippet %s to the editor's syntax", ([theirs, ours]) => {
  expect(toSnippetTemplate(theirs)).toBe(ours);
});

test('survives broken input', async () => {
  const texts = [
    '<‸',
    '<<<‸',
    '</‸',
    '<p class=‸',
    '<style>‸',
    '<a {‸',
    '{{{‸',
    '<!--‸',
    `${'<p>'.repeat(500)}‸`,
    '\0<‸',
  ];
  for (const text of texts)
    for (const path of ['i.html', 'A.vue', 'A.svelte'])
      expect(Array.isArray(await complete({ [path]: text }))).toBe(true);
});

test('parses pathological input quickly', () => {
  const pieces = [
    '{\n',
    'class={"a" ',
    'class={`',
    '<a style="',
    '"',
    '\\"',
    'url(',
    '<script>',
    '/*',
  ];
  const began = performance.now();
  for (const piece of pieces)
    for (const path of ['i.html', 'A.svelte', 'a.css', 'a.tsx']) {
      const text = piece.repeat(20_000 / piece.length) + '}'.repeat(10_000);
      expect(new MarkupFile(path, text).names.length).toBeGreaterThanOrEqual(0);
    }
  // Linear time takes some milliseconds per input; quadratic time would take seconds.
  expect(performance.now() - began).toBeLessThan(5_000);
});

test.for([
  ['a value', '1rem', '1rem', 'a { margin: 1rem } b { padding: 1rem‸ }'],
  ['a property with its colon', 'margin', undefined, 'a { margin‸ }'],
] as const)('%s is known to be typed only if it is all that is inserted', async (given) => {
  const [, label, inserted, text] = given;
  const { path, offset } = project.open({ 'a.css': text });
  const client = {
    request: (_kind: 'completions', at: FilePosition) => project.handlers.completions(at),
  } as unknown as MarkupClient;
  const state = EditorState.create({ doc: text.replace('‸', ''), extensions: filePath.of(path) });
  const result = await completeMarkup(client)(new CompletionContext(state, offset, false));
  const option = result?.options.find((each) => each.label === label);
  expect(option).toMatchObject({ label });
  expect(option).toHaveProperty('insertText', inserted);
});
