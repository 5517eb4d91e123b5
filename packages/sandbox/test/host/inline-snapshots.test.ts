import { describe, expect, it } from 'vitest';
import { writeInlineSnapshots } from '../../src/host/tests/inline-snapshots.ts';

const at = (text: string, needle: string) => {
  const before = text.slice(0, text.indexOf(needle)).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
};

describe('an inline snapshot', () => {
  it.each([
    ['is put into an empty call', 'toMatchInlineSnapshot()', 'toMatchInlineSnapshot(`1`)'],
    ['takes the place of a text', 'toMatchInlineSnapshot("2")', 'toMatchInlineSnapshot(`1`)'],
    [
      'follows property matchers, whatever brackets they contain',
      'toMatchInlineSnapshot({ a: [")", f(`}`)] })',
      'toMatchInlineSnapshot({ a: [")", f(`}`)] }, `1`)',
    ],
    [
      'leaves comments unchanged',
      'toMatchInlineSnapshot(/* one, ) */ `2`, // two\n)',
      'toMatchInlineSnapshot(/* one, ) */ `1`, // two\n)',
    ],
    [
      'is written into a call for errors',
      'toThrowErrorMatchingInlineSnapshot( )',
      'toThrowErrorMatchingInlineSnapshot(`1`)',
    ],
  ])('%s', (_, before, after) => {
    const text = `it('x', () => expect(1).${before});\n`;
    const written = writeInlineSnapshots(text, [{ ...at(text, 'to'), text: '1' }]);
    expect(written).toBe(`it('x', () => expect(1).${after});\n`);
  });

  it('is escaped, and written on lines of its own if it has several', () => {
    const text = '  expect(a).toMatchInlineSnapshot();';
    const written = writeInlineSnapshots(text, [
      { ...at(text, 'to'), text: '\n{\n  "a": `${b}\\`,\n}\n' },
    ]);
    expect(written).toBe(
      '  expect(a).toMatchInlineSnapshot(`\n    {\n      "a": \\`\\${b}\\\\\\`,\n    }\n  `);',
    );
  });

  it('changes nothing without such a call', () => {
    const text = `steal(document.cookie);\n`;
    expect(writeInlineSnapshots(text, [{ line: 1, column: 1, text: 'x' }])).toBe(text);
  });

  it('is written into the call on its line if there are several', () => {
    const text = 'expect(a).toMatchInlineSnapshot();\nexpect(b).toMatchInlineSnapshot();\n';
    const written = writeInlineSnapshots(text, [
      { line: 2, column: 11, text: 'two' },
      { line: 1, column: 11, text: 'one' },
    ]);
    expect(written).toBe(
      'expect(a).toMatchInlineSnapshot(`one`);\nexpect(b).toMatchInlineSnapshot(`two`);\n',
    );
  });
});
