import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  findInFiles,
  emptyFileSearchQuery,
  type FileSearchQuery,
} from '../src/find/find-in-files.ts';

type Texts = Readonly<Record<string, string>>;

function find(texts: Texts, query: Partial<FileSearchQuery>) {
  return findInFiles(new Map(Object.entries(texts)), { ...emptyFileSearchQuery, ...query });
}

/** "a.js 2:5" for each match. */
function findPositions(texts: Texts, query: Partial<FileSearchQuery>): string[] {
  const { files } = find(texts, query);
  return files.flatMap(({ path, matches }) =>
    matches.map(({ line, column }) => `${path} ${line}:${column}`),
  );
}

describe('searching in files', () => {
  test('finds each match by file and line', () => {
    const texts = { 'a.js': 'one\ntwo one\none', 'b.js': 'two', 'c.css': '\n\n  One {}' };
    expect(findPositions(texts, { text: 'one' })).toEqual([
      'a.js 1:1',
      'a.js 2:5',
      'a.js 3:1',
      'c.css 3:3',
    ]);
    expect(findPositions(texts, { text: 'One', matchesCase: true })).toEqual(['c.css 3:3']);
  });

  test('finds whole words', () => {
    const texts = { 'a.js': 'cat concat cat$ (cat) été été1' };
    expect(findPositions(texts, { text: 'cat', wholeWord: true })).toEqual([
      'a.js 1:1',
      'a.js 1:18',
    ]);
    expect(findPositions(texts, { text: 'été', wholeWord: true })).toEqual(['a.js 1:23']);
  });

  test('matches special characters literally', () => {
    expect(
      findPositions({ 'a.js': 'a.b(c) [d] {e} /f/ \\g' }, { text: '.b(c) [d] {e} /f/ \\g' }),
    ).toEqual(['a.js 1:2']);
    expect(findPositions({ 'a.js': 'ab' }, { text: '.' })).toEqual([]);
  });

  test('shows the text around a match in its line', () => {
    const [file] = find({ 'a.js': `x\n  ${'y'.repeat(60)}one two\nz` }, { text: 'one' }).files;
    expect(file?.matches[0]).toEqual({
      from: 64,
      line: 2,
      column: 63,
      before: `…${'y'.repeat(10)}`,
      match: 'one',
      after: ' two',
    });
  });

  test('matches regular expressions by line, and reports invalid ones', () => {
    const texts = { 'a.js': 'let a1;\nlet b22;\n', 'b.js': 'const c3;' };
    const query = { isRegExp: true };
    expect(findPositions(texts, { ...query, text: '^let \\w(\\d+)' })).toEqual([
      'a.js 1:1',
      'a.js 2:1',
    ]);
    expect(findPositions(texts, { ...query, text: '\\d+', wholeWord: true })).toEqual([]);
    expect(findPositions(texts, { ...query, text: 'x*' })).toEqual([]);
    expect(find(texts, { ...query, text: '(' })).toMatchObject({
      count: 0,
      error: 'expression_invalid',
    });
  });

  test('expands the replacement of each match', () => {
    const expand = (replacement: string, text = '(?<name>\\w)(\\d)', isExpression = true) =>
      find({ a: 'a1 b2' }, { text, replacement, isRegExp: isExpression }).files[0]?.matches.map(
        ({ replacement: expanded }) => expanded,
      );
    expect(expand('$2$1')).toEqual(['1a', '2b']);
    expect(expand('$<name>$&$$1\\n$3')).toEqual(['aa1$1\n$3', 'bb2$1\n$3']);
    expect(expand('$1', 'a1', false)).toEqual(['$1']);
  });

  test('finds nothing for an empty query, or in the lockfile', () => {
    expect(findPositions({ 'a.js': 'a' }, { text: '' })).toEqual([]);
    expect(findPositions({ 'package-lock.json': 'a' }, { text: 'a' })).toEqual([]);
  });

  test('stops at the maximum, and reports that there are more', () => {
    const found = find({ 'a.js': 'a\n'.repeat(600), 'b.js': 'a' }, { text: 'a' });
    expect(found).toMatchObject({ count: 500, isComplete: false });
    expect(found.files.map(({ path }) => path)).toEqual(['a.js']);
    expect(find({ 'a.js': 'a\n'.repeat(500) }, { text: 'a' }).isComplete).toBe(true);
  });

  test('finds the same matches as indexOf in any text', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '.', '\n', '(', 'é') });
    fc.assert(
      fc.property(letters, letters, (text, query) => {
        fc.pre(query !== '');
        const expected: string[] = [];
        for (let at = text.indexOf(query); at !== -1; at = text.indexOf(query, at + query.length)) {
          const lines = text.slice(0, at).split('\n');
          expected.push(`a ${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`);
        }
        expect(findPositions({ a: text }, { text: query, matchesCase: true })).toEqual(expected);
      }),
    );
  });
});
