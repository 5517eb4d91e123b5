import type { CodeDiagnostic } from '@vitrine/editor/language-service';
import { createDocumentFromFiles } from '@vitrine/project';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { MultiFileUndo } from '../../app/workspace/code/multi-file-undo.ts';
import { ProjectText } from '../../app/workspace/code/project-text.ts';
import { shiftDiagnostics } from '../../app/workspace/problems/shift-diagnostics.ts';

/** A diagnostic of this range of a text. */
function problemOf(text: string, from: number, to: number): CodeDiagnostic {
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length;
  const columnOf = (offset: number) => offset - text.lastIndexOf('\n', offset - 1);
  return {
    kind: 'type',
    path: 'a.ts',
    from,
    to,
    line: lineOf(from),
    column: columnOf(from),
    endLine: lineOf(to),
    endColumn: columnOf(to),
    message: 'It does not fit.',
    severity: 'error',
    code: 2322,
  };
}

describe('a diagnostic', () => {
  test('moves with the text around an edit, as if reported there', () => {
    const piece = fc.stringMatching(/^[ab\n]{0,12}$/);
    fc.assert(
      fc.property(piece, piece, piece, piece, piece, (head, old, next, tail, rest) => {
        const before = `${head}${old}${tail}PROBLEM\n${rest}`;
        const after = `${head}${next}${tail}PROBLEM\n${rest}`;
        const at = before.indexOf('PROBLEM');
        const [moved] = shiftDiagnostics(
          [problemOf(before, at, at + 7)],
          new Map([['a.ts', before]]),
          new Map([['a.ts', after]]),
        );
        const now = after.indexOf('PROBLEM');
        expect(moved).toEqual(problemOf(after, now, now + 7));
      }),
    );
  });

  test('moves in long texts, which are compared in chunks', () => {
    const length = fc.integer({ min: 0, max: 3_000 });
    fc.assert(
      fc.property(length, length, length, length, (head, old, next, tail) => {
        const text = (changed: number) =>
          `${'a'.repeat(head)}${'b\n'.repeat(changed)}${'a'.repeat(tail)}PROBLEM`;
        const [before, after] = [text(old), text(next)];
        const problem = (content: string) => problemOf(content, content.length - 7, content.length);
        const file = (content: string) => new Map([['a.ts', content]]);
        const [moved] = shiftDiagnostics([problem(before)], file(before), file(after));
        expect(moved).toEqual(problem(after));
      }),
    );
  });

  test('is dropped with the edited text and with its file', () => {
    const before = new Map([['a.ts', 'one two three']]);
    const problems = [problemOf('one two three', 4, 7)];
    expect(shiftDiagnostics(problems, before, new Map([['a.ts', 'one TWO three']]))).toEqual([]);
    expect(shiftDiagnostics(problems, before, new Map())).toEqual([]);
    expect(shiftDiagnostics(problems, before, before)).toBe(problems);
    expect(shiftDiagnostics(problems, before, new Map([['a.ts', 'one two THREE']]))).toBe(problems);
  });
});

describe('a multi-file edit', () => {
  function open() {
    const files = ['a', 'b'].map((name) => [name, `${name} old`] as const);
    const text = new ProjectText(createDocumentFromFiles(files), {
      onRename: () => undefined,
      onReplace: () => undefined,
    });
    const opened = ['a', 'b'].map((path) => {
      const found = text.findText(path);
      if (!found) throw new Error(`there is no ${path}`);
      return { text: found, undo: new Y.UndoManager(found, { trackedOrigins: new Set([null]) }) };
    });
    const histories = opened.map(({ undo }) => undo);
    const edits = [{ from: 2, to: 5, insert: 'new' }];
    new MultiFileUndo().perform(histories, () =>
      text.transactUndoable(() =>
        text.applyEdits(
          opened.map((file) => ({ text: file.text, edits })),
          histories,
        ),
      ),
    );
    const read = () => [...text.files.get().values()];
    return { histories, opened, read };
  }

  test('is undone and redone in all files from any of them', () => {
    const { histories, read } = open();
    expect(read()).toEqual(['a new', 'b new']);
    histories[1]?.undo();
    expect(read()).toEqual(['a old', 'b old']);
    histories[0]?.redo();
    expect(read()).toEqual(['a new', 'b new']);
    histories[0]?.undo();
    expect(read()).toEqual(['a old', 'b old']);
  });

  test('is undone in the other files while newer edits in one of them stay', () => {
    const { histories, opened, read } = open();
    opened[1]?.text.insert(0, '> ');
    histories[0]?.undo();
    expect(read()).toEqual(['a old', '> b old']);
    histories[0]?.redo();
    expect(read()).toEqual(['a new', '> b new']);
  });
});
