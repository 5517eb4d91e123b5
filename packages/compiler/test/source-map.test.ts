import { decode, encode } from '@jridgewell/sourcemap-codec';
import { describe, expect, it } from 'vitest';
import { applyEdits, type Edit } from '../src/rewrite-module.ts';
import {
  createPositionMapper,
  createEditMap,
  shiftMap,
  toBase64,
  appendInlineMap,
} from '../src/source-map.ts';

const code = ['import a from "./a"; go(a);', 'plain();', 'one(two, three);', ''].join('\n');

function edit(found: string, text: string): Edit {
  const start = code.indexOf(found);
  return { start, end: start + found.length, text };
}

/** Returns the position of a word in the edited code, and its position according to the map. */
function trace(word: string, edits: readonly Edit[]) {
  const lines = applyEdits(code, edits).split('\n');
  const line = lines.findIndex((each) => each.includes(word));
  const column = (lines[line] ?? '').indexOf(word);
  return createPositionMapper(createEditMap('a.js', code, edits).mappings)({
    line: line + 1,
    column: column + 1,
  });
}

describe('a source map after edits', () => {
  const edits = [edit('"./a"', '"/lib/a.ts"'), edit('two', 'a longer one'), edit('three', '3')];

  it('maps code after an edit on the same line', () => {
    expect(trace('go', edits)).toEqual({ line: 1, column: code.indexOf('go') + 1 });
    expect(trace('plain', edits)).toEqual({ line: 2, column: 1 });
    expect(trace(');', edits.slice(1))).toEqual({ line: 1, column: code.indexOf(');') + 1 });
  });

  it('accounts for all edits before a position, longer and shorter', () => {
    const line = 'one(two, three);';
    const segments = [0, 4, 9, 15].map((at): [number, number, number, number] => [at, 0, 2, at]);
    const shifted = shiftMap({ mappings: encode([[], [], segments]) }, code, edits);
    const moved = decode(shifted.mappings)[2]?.map(([at]) => at);
    const after = applyEdits(line, [
      { start: 4, end: 7, text: 'a longer one' },
      { start: 9, end: 14, text: '3' },
    ]);
    expect(moved).toEqual([0, 4, after.indexOf('3'), after.indexOf(';')]);
  });
});

it('maps each word and punctuation character of a script to itself, for random text', () => {
  const lines = [
    '',
    'a1 + $b_;',
    '',
    '',
    '\tif(é)"日本 😀"\u00a0;',
    `${'long '.repeat(500)}.`,
    '  ',
  ];
  const locations = [[], [0, 3, 5, 8], [], [], [1, 3, 4, 5, 6, 7, 8, 10, 11, 12, 14]];
  const words = Array.from({ length: 500 }, (_, word) => word * 5);
  const { mappings } = createEditMap('a.js', lines.join('\n'), []);
  expect(decode(mappings)).toEqual(
    [...locations, [...words, 2_500], []].map((columns, line) =>
      columns.map((column) => [column, 0, line, column]),
    ),
  );
  expect(encode(decode(mappings))).toBe(mappings);
});

it('updates a line of a map without the other lines', () => {
  const segments = (line: number) =>
    [0, 4, 9].map((at) => [at, 0, line + 7, at + 3, line] as const);
  const map = {
    mappings: encode([0, 1, 2, 3].map((line) => segments(line).map((each) => [...each]))),
  };
  const text = 'one two  three\n'.repeat(4);
  const edits = [
    { start: 15 + 4, end: 15 + 7, text: 'longer' },
    { start: 45, end: 45, text: 'first; ' },
  ];
  const moved = decode(map.mappings);
  for (const segment of moved[1] ?? []) if (segment[0] >= 7) segment[0] += 3;
  for (const segment of moved[3] ?? []) segment[0] += 7;
  expect(decode(shiftMap(map, text, edits).mappings)).toEqual(moved);
});

it('is inlined in ASCII, with all characters of the source', () => {
  const source = '// é 日本 😀\nlet a = "\u2028";\n'.repeat(3_000);
  const map = createEditMap('a.js', source, []);
  const [, written = ''] = appendInlineMap('a.js', source, map).split(';base64,');
  const read: unknown = JSON.parse(Buffer.from(written, 'base64').toString('latin1'));
  expect(read).toEqual({ version: 3, ...map });
});

it('encodes text of any length as Base64', () => {
  const text = 'a é 日本 😀\n'.repeat(10_000);
  expect(Buffer.from(toBase64(text), 'base64').toString()).toBe(text);
});
