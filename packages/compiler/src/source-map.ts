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
  return { ...map, mappings: shift(map.mappings, code, edits) };
}

/** Lines count from the end of the one before, so that one that moves is written anew by itself. */
function shift(mappings: string, code: string, edits: readonly Edit[]): string {
  let output = '';
  let [line, lineStart, done] = [0, 0, 0];
  for (const [edited, moves] of findMoves(code, edits)) {
    for (; line < edited; line += 1) {
      const end = mappings.indexOf(';', lineStart);
      if (end === -1) return output + mappings.slice(done);
      lineStart = end + 1;
    }
    output += mappings.slice(done, lineStart);
    const end = mappings.indexOf(';', lineStart);
    done = end === -1 ? mappings.length : end;
    output += shiftLine(mappings.slice(lineStart, done), moves);
  }
  return output + mappings.slice(done);
}

function shiftLine(mappings: string, moves: readonly Move[]): string {
  const decoded = decode(mappings);
  let [done, by] = [0, 0];
  for (const segment of decoded[0] ?? []) {
    for (let move = moves[done]; move && move.from <= segment[0]; move = moves[done]) {
      by += move.by;
      done += 1;
    }
    segment[0] += by;
  }
  return encode(decoded);
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

/** The map of a plain script after edits: every word leads to where it was. */
export function mapEdits(path: string, source: string, edits: readonly Edit[]): ScriptMap {
  return {
    mappings: shift(mapWords(source), source, edits),
    names: [],
    sources: [path.slice(path.lastIndexOf('/') + 1)],
    sourcesContent: [source],
  };
}

/** Leads each word of a text to itself; written as it is found, since texts may be long. */
function mapWords(source: string): string {
  let output = '';
  /** What leads from a word to the next in its line, by how far that is. */
  const steps: string[] = [];
  /** What a place counts from: that of the word before it. */
  let [line, column] = [0, 0];
  for (const [index, text] of source.split('\n').entries()) {
    if (index > 0) output += ';';
    let isFirst = true;
    for (const at of findWords(text)) {
      const by = at - column;
      if (isFirst) output += writeNumbers(at, 0, index - line, by);
      else output += steps[by] ??= `,${writeNumbers(by, 0, 0, by)}`;
      [line, column, isFirst] = [index, at, false];
    }
  }
  return output;
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** As maps have them: the sign is the last bit, and each digit has five, least first. */
function writeNumbers(...numbers: number[]): string {
  let output = '';
  for (const number of numbers) {
    let rest = number < 0 ? (-number << 1) | 1 : number << 1;
    for (; rest > 31; rest >>>= 5) output += digits[32 | (rest & 31)];
    output += digits[rest];
  }
  return output;
}

const [sign, part, gap] = [0, 1, 2];

/** What each character of ASCII is to words. */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code)));

function kindOf(character: string): number {
  if (/[\w$]/.test(character)) return part;
  return /\s/.test(character) ? gap : sign;
}

/** Where words begin in a line, and signs between them, each for itself. */
function findWords(line: string): number[] {
  const found: number[] = [];
  let before: number | undefined = gap;
  for (let at = 0; at < line.length; at += 1) {
    const kind = kinds[line.charCodeAt(at)] ?? kindOf(line.charAt(at));
    if (kind === sign || (kind === part && before !== part)) found.push(at);
    before = kind;
  }
  return found;
}

/** The map as a file, for an address of its own. */
export function mapText(map: ScriptMap): string {
  return JSON.stringify({ version: 3, ...map });
}

/** The code of a file that carries its map. */
export function withInlineMap(path: string, code: string, map: ScriptMap): string {
  const address = `# sourceMappingURL=data:application/json;base64,${btoa(asciiText(map))}`;
  return `${code}\n${isStylePath(path) ? `/*${address} */` : `//${address}`}`;
}

/** JSON needs no other characters, and these are their own bytes. */
function asciiText(map: ScriptMap): string {
  return mapText(map).replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
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
