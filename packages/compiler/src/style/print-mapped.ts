import type { SourceMapMappings } from '@jridgewell/sourcemap-codec';
import postcss, { type Root } from 'postcss';
import type { MappedCode } from '../mapped-code.ts';

/** Serializes a PostCSS stylesheet with mappings. PostCSS's own source maps need a file system. */
export function printMapped(root: Root): MappedCode {
  const mappings: SourceMapMappings = [[]];
  let code = '';
  let column = 0;
  postcss.stringify(root, (part, node, type) => {
    const start = type === 'end' ? undefined : node?.source?.start;
    if (start) mappings.at(-1)?.push([column, 0, start.line - 1, start.column - 1]);
    const lines = part.split('\n');
    for (let count = 1; count < lines.length; count += 1) mappings.push([]);
    column = (lines.length === 1 ? column : 0) + (lines.at(-1) ?? '').length;
    code += part;
  });
  return { code, mappings };
}
