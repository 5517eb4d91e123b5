import type { ConsoleLine } from '@vitrine/sandbox/host';
import { describe, expect, test } from 'vitest';
import { consoleRows, countLevel } from '../app/workspace/console-log.ts';

let nextId = 1;

function line(method: ConsoleLine['method'], text: string, count = 1): ConsoleLine {
  const values = [{ type: 'text' as const, text }];
  return { id: nextId++, method, values, count, time: 0, path: 'script.js', line: 1, column: 1 };
}

function textsOf(lines: readonly ConsoleLine[], filter: Parameters<typeof consoleRows>[1]) {
  return consoleRows(lines, filter).map(({ line: { values }, depth }) => {
    const [value] = values;
    return '  '.repeat(depth) + (value && 'text' in value ? value.text : '');
  });
}

describe('the console', () => {
  const lines = [
    line('log', 'before'),
    line('group', 'outer'),
    line('warn', 'careful'),
    line('groupCollapsed', 'inner'),
    line('error', 'boom', 3),
    line('groupEnd', ''),
    line('groupEnd', ''),
    line('groupEnd', ''),
    line('info', 'after'),
  ];

  test('sets what is in groups further in, and takes one end too many', () => {
    expect(textsOf(lines, 'all')).toEqual([
      'before',
      'outer',
      '  careful',
      '  inner',
      '    boom',
      'after',
    ]);
  });

  test('shows one level only, where it stood', () => {
    expect(textsOf(lines, 'error')).toEqual(['    boom']);
    expect(textsOf(lines, 'info')).toEqual(['after']);
  });

  test('counts an entry as often as it came', () => {
    expect(countLevel(lines, 'error')).toBe(3);
    expect(countLevel(lines, 'warning')).toBe(1);
  });
});
