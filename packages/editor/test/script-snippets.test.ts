import { CompletionContext } from '@codemirror/autocomplete';
import { ensureSyntaxTree } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
import { completeScriptSnippets } from '../src/language-service/script-snippets.ts';
import { findLanguage, loadLanguage } from '../src/languages.ts';
import { filePath } from '../src/understood.ts';

async function complete(path: string, marked: string) {
  await loadLanguage(path);
  const doc = marked.replace('‸', '');
  const names = { paths: () => [], texts: () => [] };
  const extensions = [findLanguage(path, names) ?? [], filePath.of(path)];
  const state = EditorState.create({ doc, extensions });
  ensureSyntaxTree(state, doc.length, 5_000);
  const context = new CompletionContext(state, marked.indexOf('‸'), false);
  const result = await completeScriptSnippets(context);
  return { labels: (result?.options ?? []).map(({ label }) => label) };
}

test.for<readonly [string, string, string]>([
  ['a script', 'a.js', 'log'],
  ['TypeScript', 'a.ts', 'fetch-json'],
  ['JSX', 'a.jsx', 'use-state'],
  ['typed JSX', 'a.tsx', 'component'],
  ['a test', 'a.test.ts', 'test-case'],
])('are offered in %s', async ([, path, wanted]) => {
  expect((await complete(path, 'a‸')).labels).toContain(wanted);
});

test.for<readonly [string, string, string]>([
  ['a string', 'a.js', `'lo‸'`],
  ['a comment', 'a.js', '// lo‸'],
  ['a member', 'a.js', 'console.lo‸'],
  ['a style', 'a.css', 'lo‸'],
])('are not offered in %s', async ([, path, text]) => {
  expect((await complete(path, text)).labels).toEqual([]);
});

test('what only JSX or tests have is not offered elsewhere', async () => {
  const { labels } = await complete('a.ts', 'a‸');
  expect(labels).not.toContain('use-state');
  expect(labels).not.toContain('test-case');
});
