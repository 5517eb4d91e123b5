/** Code that is put together from parts, or made in several steps, with its map to one source. */
import { decode, encode, type SourceMapMappings } from '@jridgewell/sourcemap-codec';
import type { ScriptMap } from './transform-script.ts';

export interface MappedCode {
  code: string;
  /** By line of the code; the one source is that of the whole file. */
  mappings: SourceMapMappings;
}

/** Code that we put in: it leads nowhere. */
export function unmapped(code: string): MappedCode {
  return { code, mappings: code.split('\n').map(() => []) };
}

/** Code with a map in Base64 VLQ, or without one. */
export function mapped(code: string, map: { mappings: string } | undefined): MappedCode {
  return map ? { code, mappings: decode(map.mappings) } : unmapped(code);
}

/** One part after the other, each on lines of its own. */
export function joinCode(parts: readonly MappedCode[]): MappedCode {
  return {
    code: parts.map(({ code }) => code).join('\n'),
    mappings: parts.flatMap(({ code, mappings }) =>
      Array.from(code.split('\n'), (_, line) => mappings[line] ?? []),
    ),
  };
}

/** A map to what another map leads on from: C → B and B → A make C → A. */
export function followMap(map: SourceMapMappings, before: SourceMapMappings): SourceMapMappings {
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

/** The last that begins at the column or before it, by halves: lines may be long. */
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

/** The map of a file; DevTools show its text in the place of its code. */
export function toScriptMap(path: string, text: string, mappings: SourceMapMappings): ScriptMap {
  return {
    mappings: encode(mappings),
    names: [],
    sources: [path.slice(path.lastIndexOf('/') + 1)],
    sourcesContent: [text],
  };
}
