import { html } from '@codemirror/lang-html';
import { javascript } from '@codemirror/lang-javascript';
import { vue } from '@codemirror/lang-vue';
import { ensureSyntaxTree, type LanguageSupport } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { svelte } from '@replit/codemirror-lang-svelte';
import { describe, expect, test } from 'vitest';
import { linkedTags } from '../src/linked-tags.ts';

/** The result of replacing «…» with typed text. */
function type(language: LanguageSupport, marked: string, insert: string, event = 'input.type') {
  const from = marked.indexOf('«');
  const to = marked.indexOf('»') - 1;
  const doc = marked.replace(/[«»]/g, '');
  const state = EditorState.create({ doc, extensions: [language, linkedTags] });
  ensureSyntaxTree(state, doc.length, 5_000);
  return state.update({ changes: { from, to, insert }, userEvent: event }).newDoc.toString();
}

const jsx = javascript({ jsx: true });

describe('typing in a tag name', () => {
  test.for<readonly [string, LanguageSupport, string, string, string]>([
    ['at its end', html(), '<h«»>a</h>', '1', '<h1>a</h1>'],
    ['at its beginning', html(), '<«»iv>a</iv>', 'd', '<div>a</div>'],
    [
      'in the place of all of it',
      html(),
      '<«div» class="a">\n<p></p></div>',
      'main',
      '<main class="a">\n<p></p></main>',
    ],
    ['in one that holds its like', html(), '<«div»><div></div></div>', 'a', '<a><div></div></a>'],
    [
      'in one that is held by its like',
      html(),
      '<div><«div»></div></div>',
      'a',
      '<div><a></a></div>',
    ],
    [
      'in Vue',
      vue(),
      '<template><«p»>{{ a }}</p></template>',
      'b',
      '<template><b>{{ a }}</b></template>',
    ],
    [
      'in Svelte',
      svelte(),
      '{#if a}<«p» on={() => 1}></p>{/if}',
      'b',
      '{#if a}<b on={() => 1}></b>{/if}',
    ],
    ['of a component of Svelte', svelte(), '<Car«»></Car>', 'd', '<Card></Card>'],
    ['in JSX', jsx, 'a = <«p» id="x">a</p>', 'b', 'a = <b id="x">a</b>'],
    ['of a component in JSX', jsx, 'a = <Car«»>a</Car>', 'd', 'a = <Card>a</Card>'],
    ['of a member in JSX', jsx, 'a = <A.b«»>a</A.b>', 'c', 'a = <A.bc>a</A.bc>'],
  ])('renames the closing tag: %s', ([, language, before, insert, after]) => {
    expect(type(language, before, insert)).toBe(after);
  });

  test('deletes characters in both', () => {
    expect(type(html(), '<di«v»>a</div>', '', 'delete.backward')).toBe('<di>a</di>');
  });

  test.for<readonly [string, string, string, string]>([
    ['a space', '<p«»>a</p>', ' ', '<p >a</p>'],
    ['a bracket', '<p«»></p>', '>', '<p>></p>'],
    ['an attribute', '<p c«»>a</p>', 'l', '<p cl>a</p>'],
    ['text', '<p>a«»</p>', 'b', '<p>ab</p>'],
    ['the closing name', '<p>a</p«»>', 'r', '<p>a</pr>'],
    ['a tag that is not closed', '<div><p«»></div>', 'r', '<div><pr></div>'],
    ['a tag of another name', '<p«»>a</b>', 'r', '<pr>a</b>'],
  ])('leaves the closing tag alone: %s', ([, before, insert, after]) => {
    expect(type(html(), before, insert)).toBe(after);
  });

  test('leaves remote changes alone', () => {
    expect(type(html(), '<p«»>a</p>', 'r', 'remote')).toBe('<pr>a</p>');
  });
});
