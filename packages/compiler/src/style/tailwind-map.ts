import { encode, type SourceMapMappings } from '@jridgewell/sourcemap-codec';
import type { compile } from 'tailwindcss';
import type { ScriptMap } from '../transform-script.ts';
import { relativePath } from './relative-path.ts';

type TailwindMap = ReturnType<Awaited<ReturnType<typeof compile>>['buildSourceMap']>;

/**
 * Creates the source map of a stylesheet to the project's files.
 * Tailwind's own stylesheets are omitted: with them, the map would be larger than the CSS.
 * @param texts Texts of the project's stylesheets, by path.
 */
export function readTailwindMap(
  path: string,
  { mappings }: TailwindMap,
  texts: ReadonlyMap<string, string>,
): ScriptMap {
  const sources = [...texts.keys()];
  const lines: SourceMapMappings = [];
  for (const { generatedPosition: at, originalPosition: from } of mappings) {
    const source = sources.indexOf(from?.source.url ?? '');
    while (lines.length < at.line) lines.push([]);
    lines[at.line - 1]?.push(
      from && source !== -1 ? [at.column, source, from.line - 1, from.column] : [at.column],
    );
  }
  return {
    mappings: encode(lines),
    names: [],
    sources: sources.map((source) => relativePath(path, source)),
    sourcesContent: [...texts.values()],
  };
}
