import { CompletionContext, type CompletionSource } from '@codemirror/autocomplete';
import { ensureSyntaxTree } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
import { completeScriptSnippets } from '../src/language-service/script-snippets.ts';
import { findLanguage, loadLanguage } from '../src/languages.ts';
import { filePath } from '../src/language-facets.ts';

async function contextOf(path: string, marked: string): Promise<CompletionContext> {
  await loadLanguage(path);
  const doc = marked.replace('‸', '');
  const names = { texts: () => [] };
  const extensions = [findLanguage(path, names) ?? [], filePath.of(path)];
  const state = EditorState.create({ doc, extensions });
  ensureSyntaxTree(state, doc.length, 5_000);
  // The state has the tree that was parsed since from its next transaction on.
  return new CompletionContext(state.update({}).state, marked.indexOf('‸'), false);
}

async function complete(path: string, marked: string) {
  const result = await completeScriptSnippets(await contextOf(path, marked));
  return { labels: (result?.options ?? []).map(({ label }) => label) };
}

test.for<readonly [string, string, string]>([
  ['a script', 'a.js', 'log'],
  ['TypeScript', 'a.ts', 'fetch-json'],
  ['JSX', 'a.jsx', 'use-state'],
  ['typed JSX', 'a.tsx', 'component'],
  ['a test', 'a.test.ts', 'test-case'],
])('offers snippets in %s', async ([, path, wanted]) => {
  expect((await complete(path, 'a‸')).labels).toContain(wanted);
});

test.for<readonly [string, string, string]>([
  ['a string', 'a.js', `'lo‸'`],
  ['a comment', 'a.js', '// lo‸'],
  ['a member', 'a.js', 'console.lo‸'],
  ['a style', 'a.css', 'lo‸'],
])('offers no snippets in %s', async ([, path, text]) => {
  expect((await complete(path, text)).labels).toEqual([]);
});

test('offers JSX and test snippets only there', async () => {
  const { labels } = await complete('a.ts', 'a‸');
  expect(labels).not.toContain('use-state');
  expect(labels).not.toContain('test-case');
});

test('offers each loop by the name that VS Code gives it', async () => {
  const context = await contextOf('a.ts', 'fo‸');
  const sources = context.state.languageDataAt<CompletionSource>('autocomplete', context.pos);
  const results = await Promise.all(
    [completeScriptSnippets, ...sources].map((ask) => ask(context)),
  );
  const loops = results.flatMap((result) => result?.options ?? []);
  const named = loops.filter(({ label, detail }) => label.startsWith('for') && detail);
  expect(named.map(({ label, detail }) => `${label}: ${detail}`).sort()).toEqual([
    'for: loop',
    'forin: loop over property names',
    'forof: loop over values',
  ]);
});
