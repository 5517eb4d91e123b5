import { decode, encode, type SourceMapMappings } from '@jridgewell/sourcemap-codec';
import { isStylePath } from './file-kinds.ts';
import type { Edit } from './rewrite-module.ts';
import type { SourceMap } from './script/transform-script.ts';

/** A position in a text; both values are 1-based. */
export interface Position {
  line: number;
  column: number;
}

/** Maps a position in the output to the source; undefined for inserted code. */
export type MapPosition = (location: Position) => Position | undefined;

export function createPositionMapper(mappings: string): MapPosition {
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
 * Updates a source map after edits of the code. Edits are in text order and add no lines, so only
 * the rest of an edited line moves.
 */
export function shiftMap<Map extends { mappings: string }>(
  map: Map,
  code: string,
  edits: readonly Edit[],
): Map {
  return { ...map, mappings: shiftMappings(map.mappings, code, edits) };
}

/** Columns in mappings restart with each line, so an edited line can be encoded again alone. */
function shiftMappings(mappings: string, code: string, edits: readonly Edit[]): string {
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

/** Moves everything at or after column `from` of a line by `by` columns. */
interface Move {
  from: number;
  by: number;
}

/** Returns moves by 0-based line, in one pass: the code may be long and have many edits. */
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

/** Creates the source map of a plain script after edits: each word maps to its old position. */
export function createEditMap(path: string, source: string, edits: readonly Edit[]): SourceMap {
  return {
    mappings: shiftMappings(createIdentityMappings(source), source, edits),
    names: [],
    sources: [path.slice(path.lastIndexOf('/') + 1)],
    sourcesContent: [source],
  };
}

/** Creates identity mappings of the words of a text, encoded directly since texts may be long. */
function createIdentityMappings(source: string): string {
  let output = '';
  /** Encoded steps from one word to the next in its line, by distance. */
  const steps: string[] = [];
  /** Position of the previous word, which mappings are relative to. */
  let [line, column] = [0, 0];
  for (const [index, text] of source.split('\n').entries()) {
    if (index > 0) output += ';';
    let isFirst = true;
    for (const at of findWords(text)) {
      const by = at - column;
      if (isFirst) output += encodeVlq(at, 0, index - line, by);
      else output += steps[by] ??= `,${encodeVlq(by, 0, 0, by)}`;
      [line, column, isFirst] = [index, at, false];
    }
  }
  return output;
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Encodes numbers as Base64 VLQ: the sign is the lowest bit, five bits per digit, lowest first. */
function encodeVlq(...numbers: number[]): string {
  let output = '';
  for (const number of numbers) {
    let rest = number < 0 ? (-number << 1) | 1 : number << 1;
    for (; rest > 31; rest >>>= 5) output += digits[32 | (rest & 31)];
    output += digits[rest];
  }
  return output;
}

const [punctuation, wordPart, space] = [0, 1, 2];

/** Character kind of each ASCII character. */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => getKind(String.fromCharCode(code)));

function getKind(character: string): number {
  if (/[\w$]/.test(character)) return wordPart;
  return /\s/.test(character) ? space : punctuation;
}

/** Returns the columns where words and punctuation characters start. */
function findWords(line: string): number[] {
  const found: number[] = [];
  let before: number | undefined = space;
  for (let at = 0; at < line.length; at += 1) {
    const kind = kinds[line.charCodeAt(at)] ?? getKind(line.charAt(at));
    if (kind === punctuation || (kind === wordPart && before !== wordPart)) found.push(at);
    before = kind;
  }
  return found;
}

/** Serializes a source map to JSON, for a file of its own. */
export function serializeMap(map: SourceMap): string {
  return JSON.stringify({ version: 3, ...map });
}

/** Appends a source map to code as a `data:` URL. */
export function appendInlineMap(path: string, code: string, map: SourceMap): string {
  const comment = `# sourceMappingURL=data:application/json;base64,${btoa(toAsciiJson(map))}`;
  return `${code}\n${isStylePath(path) ? `/*${comment} */` : `//${comment}`}`;
}

/** Serializes a map to JSON in ASCII, which `btoa` accepts. */
function toAsciiJson(map: SourceMap): string {
  return serializeMap(map).replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

declare function btoa(text: string): string;

/** Maximum number of arguments passed to one call. */
const bytesAtOnce = 0x4000;

/** Encodes the UTF-8 bytes of a text as Base64. */
export function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let characters = '';
  for (let at = 0; at < bytes.length; at += bytesAtOnce)
    characters += String.fromCharCode(...bytes.subarray(at, at + bytesAtOnce));
  return btoa(characters);
}
