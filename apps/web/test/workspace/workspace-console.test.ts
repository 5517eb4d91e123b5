import type { ConsoleLogEntry, ConsoleValue } from '@vitrine/sandbox/host';
import { describe, expect, test } from 'vitest';
import { linkify } from '../../app/workspace/console/linkify.ts';
import {
  listConsoleRows,
  countEntries,
  emptyFilter,
  type LogLevel,
} from '../../app/workspace/console/console-log.ts';
import { parseStack, shortenScriptUrl } from '../../app/workspace/console/console-stack.ts';
import { parseConsoleTable } from '../../app/workspace/console/console-table.ts';
import { formatLog } from '../../app/workspace/console/console-format.ts';

let nextId = 1;

function line(
  method: ConsoleLogEntry['method'],
  text: string,
  count = 1,
  document = 0,
): ConsoleLogEntry {
  const values = [{ type: 'text' as const, text }];
  const location = { path: 'script.js', line: 1, column: 1 };
  return { id: nextId++, method, values, count, time: 0, document, ...location };
}

function textsOf(rows: ReturnType<typeof listConsoleRows>) {
  return rows.map(({ line: { values }, depth }) => {
    const [value] = values;
    return '  '.repeat(depth) + (value && 'text' in value ? value.text : '');
  });
}

const only = (...levels: LogLevel[]) => ({ text: '', levels: new Set(levels) });

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

  test('indents groups, collapses some, and tolerates an extra group end', () => {
    const shown = ['before', 'outer', '  careful', '  inner', '  again in outer', 'after'];
    expect(textsOf(listConsoleRows(lines, emptyFilter))).toEqual(shown);
    const inner = lines[3]?.id ?? 0;
    expect(textsOf(listConsoleRows(lines, emptyFilter, new Set([inner])))).toEqual(
      shown.toSpliced(4, 0, '    boom'),
    );
    const outer = lines[1]?.id ?? 0;
    expect(textsOf(listConsoleRows(lines, emptyFilter, new Set([outer])))).toEqual([
      'before',
      'outer',
      'after',
    ]);
  });

  test('filters by level, also in collapsed groups, and keeps the depth', () => {
    expect(textsOf(listConsoleRows(lines, only('error')))).toEqual(['    boom']);
    expect(textsOf(listConsoleRows(lines, only('debug', 'warning')))).toEqual([
      '  careful',
      'after',
    ]);
  });

  test('searches text case-insensitively', () => {
    const filter = { text: 'BOO', levels: new Set<LogLevel>() };
    expect(textsOf(listConsoleRows(lines, filter))).toEqual(['    boom']);
  });

  test('closes groups when the document is unloaded', () => {
    const kept = [line('group', 'open'), line('reload', '', 1, 1), line('log', 'new', 1, 1)];
    expect(textsOf(listConsoleRows(kept, emptyFilter))).toEqual(['open', '', 'new']);
  });

  test('counts repeated entries', () => {
    expect(countEntries(lines, 'error')).toBe(3);
    expect(countEntries(lines, 'warning')).toBe(1);
  });

  test('leaves separators out of the count, and console input unless it threw', () => {
    const prompt = (['input', 'result', 'input', 'thrown', 'note', 'reload', 'clear'] as const).map(
      (method) => line(method, ''),
    );
    expect(countEntries([...lines, ...prompt], 'info')).toBe(4);
    expect(countEntries(prompt, 'error')).toBe(1);
  });

  test('is copied as text with indented groups', () => {
    expect(formatLog(lines.slice(0, 3))).toBe('before\nouter\n  careful');
  });
});

describe('a stack trace', () => {
  test('is parsed in the formats of Chromium and Firefox', () => {
    const location = { functionName: 'fail', path: 'src/a.ts', line: 3, column: 14 };
    expect(parseStack('Error: top\n    at fail (src/a.ts:3:14)')).toEqual([location]);
    expect(parseStack('fail@src/a.ts:3:14\n')).toEqual([location]);
    expect(parseStack('    at src/a.ts:3:14')).toEqual([
      { ...location, functionName: '(anonymous)' },
    ]);
    const address = 'http://host:4000/npm/@scope/name@18.3.1~a1b2/lib/a.js';
    const elsewhere = { ...location, path: address };
    expect(parseStack(`    at fail (${address}:3:14)`)).toEqual([elsewhere]);
    expect(parseStack(`fail@${address}:3:14`)).toEqual([elsewhere]);
    expect(parseStack(`@${address}:3:14`)).toEqual([{ ...elsewhere, functionName: '(anonymous)' }]);
    expect(shortenScriptUrl(address)).toBe('@scope/name@18.3.1/lib/a.js');
    expect(shortenScriptUrl('http://host:4000/npm/react-dom@18.3.1~a1/client.js?x')).toBe(
      'react-dom@18.3.1/client.js',
    );
    expect(shortenScriptUrl('https://cdn.test/a/b/c.js')).toBe('b/c.js');
  });
});

describe('console.table', () => {
  const text = (content: string): ConsoleValue => ({ type: 'string', text: content, cut: 0 });
  const object = (members: Record<string, ConsoleValue>, type: 'object' | 'array' = 'object') => ({
    type,
    name: type === 'array' ? 'Array' : 'Object',
    size: Object.keys(members).length,
    handle: 0,
    members: Object.entries(members).map(([name, value]) => ({ name, value })),
  });

  test('has a column per property, and one for primitive values', () => {
    const value = object({ a: object({ x: text('1') }), b: text('2') });
    const table = parseConsoleTable(value);
    expect(table?.columns).toEqual(['x', 'Value']);
    expect(table?.rows.map(({ index }) => index)).toEqual(['a', 'b']);
  });

  test('shows only the requested columns', () => {
    const value = object({ 0: object({ x: text('1'), y: text('2') }) }, 'array');
    expect(parseConsoleTable(value, object({ 0: text('y') }, 'array'))?.columns).toEqual(['y']);
  });

  test('shows the key and value of each Map entry', () => {
    const members = [{ name: '', key: text('k'), value: text('v') }];
    const map: ConsoleValue = { type: 'map', name: 'Map', size: 3, handle: 1, members };
    const table = parseConsoleTable(map);
    expect(table?.columns).toEqual(['Key', 'Value']);
    expect(table?.indexName).toBe('(iteration index)');
    expect(table?.hiddenRows).toBe(2);
  });

  test('ignores a string', () => {
    expect(parseConsoleTable(text('x'))).toBe(undefined);
  });
});

describe('links in console text', () => {
  const addressesIn = (text: string, isCut?: boolean) => {
    const pieces = linkify(text, isCut);
    expect(pieces.map((piece) => (typeof piece === 'string' ? piece : piece.text)).join('')).toBe(
      text,
    );
    return pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.href]));
  };

  test.for<readonly [string, readonly string[]]>([
    ['see https://a.test/b?c=1#d.', ['https://a.test/b?c=1#d']],
    ['(http://a.test/b), [https://c.test]', ['http://a.test/b', 'https://c.test/']],
    ['https://a.test/b_(c)', ['https://a.test/b_(c)']],
    [`'https://a.test/b' "https://c.test"`, ['https://a.test/b', 'https://c.test/']],
    ['at f (https://a.test/m.js:1:2)', ['https://a.test/m.js:1:2']],
    ['HTTPS://A.TEST/B', ['https://a.test/B']],
    ['https://a.test/b\u202egpj.exe', ['https://a.test/b']],
    ['javascript:alert(1) data:text/html,x file:///etc mailto:a@b.test //a.test', []],
    ['https://bank.test@evil.test/ https://user:word@a.test', []],
    ['http:// https://) xhttp://a.test https://a b', ['https://a/']],
  ])('%s', ([text, addresses]) => {
    expect(addressesIn(text)).toEqual(addresses);
  });

  test('are left out where the text is cut off', () => {
    expect(addressesIn('https://a.test/b https://a.test/lon', true)).toEqual(['https://a.test/b']);
    expect(addressesIn('https://a.test/b and on', true)).toEqual(['https://a.test/b']);
  });

  test('are found quickly in a long text of punctuation', () => {
    const start = performance.now();
    expect(addressesIn(`https://${')'.repeat(1e5)}`)).toEqual([]);
    expect(addressesIn('http://a'.repeat(1e4))).toHaveLength(1);
    expect(performance.now() - start).toBeLessThan(500);
  });
});
