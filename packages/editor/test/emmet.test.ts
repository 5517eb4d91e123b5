import { CompletionContext } from '@codemirror/autocomplete';
import { ensureSyntaxTree } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
import { completeAbbreviation, loadEmmet } from '../src/language-service/emmet.ts';
import { findLanguage, loadLanguage } from '../src/languages.ts';
import { filePath } from '../src/language-facets.ts';

/** The abbreviation offered at ‸ on explicit completion. */
async function findOffer(path: string, marked: string): Promise<string | undefined> {
  await loadLanguage(path);
  await loadEmmet();
  const doc = marked.replace('‸', '');
  const names = { texts: () => [] };
  const extensions = [findLanguage(path, names) ?? [], filePath.of(path)];
  const state = EditorState.create({ doc, extensions });
  ensureSyntaxTree(state, doc.length, 5_000);
  // The state has the tree that was parsed since from its next transaction on.
  const context = new CompletionContext(state.update({}).state, marked.indexOf('‸'), true);
  const result = await completeAbbreviation(context);
  return result?.options[0]?.label;
}

test.for<readonly [string, string, string]>([
  ['an empty page', 'i.html', 'ul>li‸'],
  ['a page', 'i.html', '<body>\n  <main>\n    ul>li‸\n  </main>\n</body>'],
  ['a page behind a tag', 'i.html', '<p>a</p>\nul>li‸'],
  ['a page behind a tag of its line', 'i.html', '<p>ul>li‸</p>'],
  ['a page before a tag', 'i.html', 'ul>li‸<p></p>'],
  ['Vue', 'A.vue', '<template>\n  <div>\n    ul>li‸\n  </div>\n</template>'],
  ['Vue behind an expression', 'A.vue', '<template>\n<b>{{ a }}</b>\nul>li‸\n</template>'],
  ['Svelte', 'A.svelte', '<div>\n  ul>li‸\n</div>'],
  ['Svelte without an element', 'A.svelte', '<script>\nlet a;\n</script>\n\nul>li‸'],
  ['a block of Svelte', 'A.svelte', '{#if a}\n  ul>li‸\n{/if}'],
  ['a loop of Svelte', 'A.svelte', '{#each a as b}\n  ul>li‸\n{:else}\n{/each}'],
  ['JSX', 'a.jsx', 'const a = <div>\n  ul>li‸\n</div>;'],
  ['what a component returns', 'a.jsx', 'function A() {\n  return (\n    ul>li‸\n  );\n}'],
  ['what one returns in its line', 'a.tsx', 'const A = () => (ul>li‸);'],
  ['a condition of JSX', 'a.jsx', 'const a = <p>{b && (ul>li‸)}</p>;'],
  ['a choice of JSX', 'a.jsx', 'const a = b ? (\n  ul>li‸\n) : null;'],
  ['typed JSX', 'a.tsx', 'const a = <>\n  ul>li‸\n</>;'],
])('offers to expand an abbreviation in %s', async ([, path, text]) => {
  expect(await findOffer(path, text)).toBe('ul>li');
});

test.for<readonly [string, string, string]>([
  ['a rule', 'a.css', 'a {\n  m10‸\n}'],
  ['a rule behind a declaration', 'a.css', 'a { color: red; m10‸ }'],
  ['a nested rule', 'a.scss', 'a { b { m10‸ } }'],
  ['a style of a page', 'i.html', '<style>a { m10‸ }</style>'],
  ['a style of Vue', 'A.vue', '<style scoped>\na {\n  m10‸\n}\n</style>'],
  ['a style of Svelte', 'A.svelte', '<style>\na {\n  m10‸\n}\n</style>'],
])('offers to expand a CSS abbreviation in %s', async ([, path, text]) => {
  expect(await findOffer(path, text)).toBe('m10');
});

test.for(['df', 'dib', 'posa', 'tac', 'jcsb', 'fwb'])(
  'expands a property with an abbreviated keyword: %s',
  async (text) => {
    expect(await findOffer('a.css', `a {\n  ${text}‸\n}`)).toBe(text);
  },
);

test.for(['div', 'span', 'color', 'display', 'button', 'flex', 'header'])(
  'does not treat a plain word in a rule as an abbreviation: %s',
  async (text) => {
    expect(await findOffer('a.css', `a {\n  ${text}‸\n}`)).toBeUndefined();
  },
);

test.for<readonly [string, string, string]>([
  ['a tag', 'i.html', '<p li‸ class="a">'],
  ['an attribute', 'i.html', '<p class="ul>li‸"></p>'],
  ['a comment', 'i.html', '<!-- ul>li‸ -->'],
  ['a script', 'i.html', '<script>ul>li‸</script>'],
  ['an expression of Vue', 'A.vue', '<template><p>{{ ul>li‸ }}</p></template>'],
  ['an expression of Svelte', 'A.svelte', '<p>{ul>li‸}</p>'],
  ['the script of a component', 'A.vue', '<script setup>\nul>li‸\n</script>'],
  ['a script of its own', 'a.ts', 'ul>li‸'],
  ['a call', 'a.jsx', 'f(ul>li‸)'],
  ['what a function returns', 'a.ts', 'function f() { return (ul>li‸); }'],
  ['a comparison', 'a.jsx', 'const f = (ul, li) => (ul>li‸);'],
  ['a text of a script', 'a.jsx', 'const f = () => ("ul>li‸");'],
  ['an expression of JSX', 'a.jsx', 'const a = <p>{ul>li‸}</p>;'],
  ['a selector', 'a.css', 'm10‸'],
  ['a value', 'a.css', 'a { margin: m10‸ }'],
  ['a comment of CSS', 'a.css', 'a { /* m10‸ */ }'],
  ['data', 'a.json', 'ul>li‸'],
])('offers nothing in %s', async ([, path, text]) => {
  expect(await findOffer(path, text)).toBeUndefined();
});

test.for<readonly [string, string, string | undefined]>([
  ['a tag', 'function A() {\n  return (\n    section‸\n  );\n}', 'section'],
  ['a class', 'const A = () => (\n  .card‸\n);', '.card'],
  ['a variable', 'function A({ data }) {\n  return (\n    data‸\n  );\n}', undefined],
  ['a member of one', 'function A({ data }) {\n  return (\n    data.items‸\n  );\n}', undefined],
  ['a global object', 'const f = () => (Math.max‸);', undefined],
  ['a number', 'const f = () => (1‸);', undefined],
])('distinguishes %s in parentheses from an abbreviation', async ([, text, wanted]) => {
  expect(await findOffer('a.jsx', text)).toBe(wanted);
});
