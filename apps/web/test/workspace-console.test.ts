import type { ConsoleLine, ConsoleValue } from '@vitrine/sandbox/host';
import { describe, expect, test } from 'vitest';
import { consoleRows, countLevel, everything, type Level } from '../app/workspace/console-log.ts';
import { readStack } from '../app/workspace/console-stack.ts';
import { readTable } from '../app/workspace/console-table.ts';
import { textOfLog } from '../app/workspace/console-text.ts';

let nextId = 1;

function line(method: ConsoleLine['method'], text: string, count = 1, document = 0): ConsoleLine {
  const values = [{ type: 'text' as const, text }];
  const place = { path: 'script.js', line: 1, column: 1 };
  return { id: nextId++, method, values, count, time: 0, document, ...place };
}

function textsOf(rows: ReturnType<typeof consoleRows>) {
  return rows.map(({ line: { values }, depth }) => {
    const [value] = values;
    return '  '.repeat(depth) + (value && 'text' in value ? value.text : '');
  });
}

const only = (...levels: Level[]) => ({ text: '', levels: new Set(levels) });

describe('the console', () => {
  const lines = [
    line('log', 'before'),
    line('group', 'outer'),
    line('warn', 'careful'),
    line('groupCollapsed', 'inner'),
    line('error', 'boom', 3),
    line('groupEnd', ''),
    line('log', 'again in outer'),
    line('groupEnd', ''),
    line('groupEnd', ''),
    line('debug', 'after'),
  ];

  test('sets what is in groups further in, closes some, and takes one end too many', () => {
    const shown = ['before', 'outer', '  careful', '  inner', '  again in outer', 'after'];
    expect(textsOf(consoleRows(lines, everything))).toEqual(shown);
    const inner = lines[3]?.id ?? 0;
    expect(textsOf(consoleRows(lines, everything, new Set([inner])))).toEqual(
      shown.toSpliced(4, 0, '    boom'),
    );
    const outer = lines[1]?.id ?? 0;
    expect(textsOf(consoleRows(lines, everything, new Set([outer])))).toEqual([
      'before',
      'outer',
      'after',
    ]);
  });

  test('shows chosen levels only, where they stood, also in closed groups', () => {
    expect(textsOf(consoleRows(lines, only('error')))).toEqual(['    boom']);
    expect(textsOf(consoleRows(lines, only('debug', 'warning')))).toEqual(['  careful', 'after']);
  });

  test('finds a text whatever its case', () => {
    const filter = { text: 'BOO', levels: new Set<Level>() };
    expect(textsOf(consoleRows(lines, filter))).toEqual(['    boom']);
  });

  test('ends groups with their document', () => {
    const kept = [line('group', 'open'), line('again', '', 1, 1), line('log', 'new', 1, 1)];
    expect(textsOf(consoleRows(kept, everything))).toEqual(['open', '', 'new']);
  });

  test('counts an entry as often as it came', () => {
    expect(countLevel(lines, 'error')).toBe(3);
    expect(countLevel(lines, 'warning')).toBe(1);
  });

  test('counts no marks, and of the prompt only what was thrown', () => {
    const prompt = (['input', 'result', 'input', 'thrown', 'note', 'again', 'clear'] as const).map(
      (method) => line(method, ''),
    );
    expect(countLevel([...lines, ...prompt], 'info')).toBe(4);
    expect(countLevel(prompt, 'error')).toBe(1);
  });

  test('is copied as text, with groups further in', () => {
    expect(textOfLog(lines.slice(0, 3))).toBe('before\nouter\n  careful');
  });
});

describe('a stack', () => {
  test('is read as Chromium and as Firefox write it', () => {
    const place = { words: 'fail', path: 'src/a.ts', line: 3, column: 14 };
    expect(readStack('Error: top\n    at fail (src/a.ts:3:14)')).toEqual([place]);
    expect(readStack('fail@src/a.ts:3:14\n')).toEqual([place]);
    expect(readStack('    at src/a.ts:3:14')).toEqual([{ ...place, words: '(anonymous)' }]);
  });
});

describe('a table', () => {
  const text = (content: string): ConsoleValue => ({ type: 'string', text: content, cut: 0 });
  const object = (members: Record<string, ConsoleValue>, type: 'object' | 'array' = 'object') => ({
    type,
    name: type === 'array' ? 'Array' : 'Object',
    size: Object.keys(members).length,
    handle: 0,
    members: Object.entries(members).map(([name, value]) => ({ name, value })),
  });

  test('has a column for each name, and one for what has no members', () => {
    const value = object({ a: object({ x: text('1') }), b: text('2') });
    const table = readTable(value);
    expect(table?.columns).toEqual(['x', 'Value']);
    expect(table?.rows.map(({ index }) => index)).toEqual(['a', 'b']);
  });

  test('has the columns that were wished for', () => {
    const value = object({ 0: object({ x: text('1'), y: text('2') }) }, 'array');
    expect(readTable(value, object({ 0: text('y') }, 'array'))?.columns).toEqual(['y']);
  });

  test('has a key and a value for each entry of a Map', () => {
    const members = [{ name: '', key: text('k'), value: text('v') }];
    const map: ConsoleValue = { type: 'map', name: 'Map', size: 3, handle: 1, members };
    const table = readTable(map);
    expect(table?.columns).toEqual(['Key', 'Value']);
    expect(table?.indexName).toBe('(iteration index)');
    expect(table?.left).toBe(2);
  });

  test('is none of a text', () => {
    expect(readTable(text('x'))).toBe(undefined);
  });
});
