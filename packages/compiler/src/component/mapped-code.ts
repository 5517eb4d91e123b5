/** Code that is concatenated from parts or created in several steps, with mappings to one source. */
import { decode, encode, type SourceMapMappings } from '@jridgewell/sourcemap-codec';
import type { SourceMap } from '../script/transform-script.ts';

export interface MappedCode {
  code: string;
  /** Mappings by line of the code. The only source is the whole file. */
  mappings: SourceMapMappings;
}

/** Creates code without a source position. */
export function createUnmappedCode(code: string): MappedCode {
  return { code, mappings: code.split('\n').map(() => []) };
}

/** Creates code from a source map in Base64 VLQ, if there is one. */
export function createMappedCode(code: string, map: { mappings: string } | undefined): MappedCode {
  return map ? { code, mappings: decode(map.mappings) } : createUnmappedCode(code);
}

/** Concatenates parts, each on its own lines. */
export function concatenateCode(parts: readonly MappedCode[]): MappedCode {
  return {
    code: parts.map(({ code }) => code).join('\n'),
    mappings: parts.flatMap(({ code, mappings }) =>
      Array.from(code.split('\n'), (_, line) => mappings[line] ?? []),
    ),
  };
}

/** Composes two maps: C → B (`map`) and B → A (`before`) become C → A. */
export function composeMappings(
  map: SourceMapMappings,
  before: SourceMapMappings,
): SourceMapMappings {
  return map.map((segments) =>
    segments.map((segment) => {
      if (segment.length === 1) return segment;
      const found = findSegment(before[segment[2]] ?? [], segment[3]);
      return found && found.length > 1
        ? [segment[0], found[1] ?? 0, found[2] ?? 0, found[3] ?? 0]
        : [segment[0]];
    }),
  );
}

/** Finds the last segment at or before a column, by binary search since lines may be long. */
function findSegment<Segment extends readonly number[]>(
  segments: readonly Segment[],
  column: number,
): Segment | undefined {
  let low = 0;
  let high = segments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((segments[middle]?.[0] ?? 0) <= column) low = middle + 1;
    else high = middle;
  }
  return segments[low - 1];
}

/** Creates the source map of a file with its text, which DevTools show instead of the code. */
export function createScriptMap(
  path: string,
  text: string,
  mappings: SourceMapMappings,
): SourceMap {
  return {
    mappings: encode(mappings),
    names: [],
    sources: [path.slice(path.lastIndexOf('/') + 1)],
    sourcesContent: [text],
  };
}
