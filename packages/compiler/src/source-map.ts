import { decode, encode, type SourceMapMappings } from '@jridgewell/sourcemap-codec';
import { isStylePath } from './file-kinds.ts';
import type { Edit } from './rewrite-module.ts';
import type { ScriptMap } from './transform-script.ts';

/** A place in a text; both count from 1. */
export interface Position {
  line: number;
  column: number;
}

/** Finds the place in the source that made a place in the code; undefined for what we put in. */
export type FindOriginal = (place: Position) => Position | undefined;

export function createPlaceFinder(mappings: string): FindOriginal {
  let decoded: SourceMapMappings | undefined;
  return ({ line, column }) => {
    decoded ??= decode(mappings);
    const segments = decoded[line - 1] ?? [];
    const found = segments.findLast(([start]) => start <= column - 1) ?? segments[0];
    if (!found || found.length === 1) return undefined;
    return { line: found[2] + 1, column: found[3] + 1 };
  };
}

/**
 * The map of a code after edits of it, in the order of the text, that add no lines: what follows them
 * in a line has moved.
 */
export function shiftMap<Map extends { mappings: string }>(
  map: Map,
  code: string,
  edits: readonly Edit[],
): Map {
  if (edits.length === 0) return map;
  const mappings = decode(map.mappings);
  shift(mappings, code, edits);
  return { ...map, mappings: encode(mappings) };
}

function shift(mappings: SourceMapMappings, code: string, edits: readonly Edit[]): void {
  for (const [line, moves] of findMoves(code, edits)) {
    let [done, by] = [0, 0];
    for (const segment of mappings[line] ?? []) {
      for (let move = moves[done]; move && move.from <= segment[0]; move = moves[done]) {
        by += move.by;
        done += 1;
      }
      segment[0] += by;
    }
  }
}

/** What is at a column of a line, or behind it, moves so far. */
interface Move {
  from: number;
  by: number;
}

/** By line, counted from 0; in one walk over the code, which may be long and have many edits. */
function findMoves(code: string, edits: readonly Edit[]): ReadonlyMap<number, Move[]> {
  const found = new Map<number, Move[]>();
  let [line, lineStart] = [0, 0];
  for (const { start, end, text } of edits) {
    for (let at = code.indexOf('\n', lineStart); at !== -1 && at < start;) {
      line += 1;
      lineStart = at + 1;
      at = code.indexOf('\n', lineStart);
    }
    const moves = found.get(line) ?? [];
    moves.push({ from: end - lineStart, by: text.length - (end - start) });
    found.set(line, moves);
  }
  return found;
}

const partOfWord = /[\w$]/;
const space = /\s/;

/** The map of a plain script after edits: every word leads to where it was. */
export function mapEdits(path: string, source: string, edits: readonly Edit[]): ScriptMap {
  const mappings: SourceMapMappings = source
    .split('\n')
    .map((line, index) => findWords(line).map((at) => [at, 0, index, at]));
  shift(mappings, source, edits);
  return {
    mappings: encode(mappings),
    names: [],
    sources: [path.slice(path.lastIndexOf('/') + 1)],
    sourcesContent: [source],
  };
}

/** Where words begin in a line, and signs between them, each for itself. */
function findWords(line: string): number[] {
  const found: number[] = [];
  let isWithin = false;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? '';
    const isPart = partOfWord.test(character);
    if (isPart ? !isWithin : !space.test(character)) found.push(at);
    isWithin = isPart;
  }
  return found;
}

/** The map as a file, for an address of its own. */
export function mapText(map: ScriptMap): string {
  return JSON.stringify({ version: 3, ...map });
}

/** The code of a file that carries its map. */
export function withInlineMap(path: string, code: string, map: ScriptMap): string {
  const address = `# sourceMappingURL=data:application/json;base64,${toBase64(mapText(map))}`;
  return `${code}\n${isStylePath(path) ? `/*${address} */` : `//${address}`}`;
}

declare function btoa(text: string): string;

/** A call takes only so many arguments. */
const bytesAtOnce = 0x4000;

/** Of the text's UTF-8. */
export function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let characters = '';
  for (let at = 0; at < bytes.length; at += bytesAtOnce)
    characters += String.fromCharCode(...bytes.subarray(at, at + bytesAtOnce));
  return btoa(characters);
}
