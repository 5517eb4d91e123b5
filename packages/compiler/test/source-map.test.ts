import { decode, encode } from '@jridgewell/sourcemap-codec';
import { describe, expect, it } from 'vitest';
import { applyEdits, type Edit } from '../src/rewrite-module.ts';
import { createPlaceFinder, mapEdits, shiftMap, toBase64 } from '../src/source-map.ts';

const code = ['import a from "./a"; go(a);', 'plain();', 'one(two, three);', ''].join('\n');

function edit(found: string, text: string): Edit {
  const start = code.indexOf(found);
  return { start, end: start + found.length, text };
}

/** Where a word of the code stands once it is edited, and where the map says that it was. */
function trace(word: string, edits: readonly Edit[]) {
  const lines = applyEdits(code, edits).split('\n');
  const line = lines.findIndex((each) => each.includes(word));
  const column = (lines[line] ?? '').indexOf(word);
  return createPlaceFinder(mapEdits('a.js', code, edits).mappings)({
    line: line + 1,
    column: column + 1,
  });
}

describe('a map after edits', () => {
  const edits = [edit('"./a"', '"/lib/a.ts"'), edit('two', 'a longer one'), edit('three', '3')];

  it('leads what follows an edit in its line to where it was', () => {
    expect(trace('go', edits)).toEqual({ line: 1, column: code.indexOf('go') + 1 });
    expect(trace('plain', edits)).toEqual({ line: 2, column: 1 });
    expect(trace(');', edits.slice(1))).toEqual({ line: 1, column: code.indexOf(');') + 1 });
  });

  it('moves by all edits before a place, longer and shorter', () => {
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

it('writes any text as Base64, however long', () => {
  const text = 'a é 日本 😀\n'.repeat(10_000);
  expect(Buffer.from(toBase64(text), 'base64').toString()).toBe(text);
});
