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
  return { ...map, mappings: encode(mappings) };
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

const word = /[\w$]+|[^\s\w$]/g;

/** The map of a plain script after edits: every word leads to where it was. */
export function mapEdits(path: string, source: string, edits: readonly Edit[]): ScriptMap {
  const mappings: SourceMapMappings = source
    .split('\n')
    .map((line, index) => Array.from(line.matchAll(word), ({ index: at }) => [at, 0, index, at]));
  const map = {
    mappings: encode(mappings),
    names: [],
    sources: [path.slice(path.lastIndexOf('/') + 1)],
    sourcesContent: [source],
  };
  return shiftMap(map, source, edits);
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

/** Of the text's UTF-8; in pieces, since a call takes only so many arguments. */
export function toBase64(text: string): string {
  const bytes = unescapeBytes(encodeURIComponent(text));
  return btoa(bytes);
}

/** "a%C3%A9" → the characters 61 C3 A9, one for each byte. */
function unescapeBytes(encoded: string): string {
  return encoded.replace(/%([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
