/**
 * esbuild names in each file all that is to run before it: of hundreds of files tens of thousands of
 * imports, of which the bundling that joins them would ask one by one. Most say nothing new.
 */
import type { ImportGraph, Joined } from './merge-chunks.ts';

export const chunkAddress = 'vitrine-base:/-chunk/';

/** Whether an import needs not be there; asked of each import of a file, in their order. */
type IsIdle = (target: string, takesNames: boolean) => boolean;

/** esbuild writes one import after the other at the top, each on lines of its own. */
const importLine = /import (?:(?!;\n)[^])*?"([^"\n]*)";\n/y;

/** A file without its idle imports. Their lines stay, empty, for the map counts them. */
export function withoutIdleImports(text: string, isIdle: IsIdle): string {
  let head = '';
  for (let at = 0; ; at = importLine.lastIndex) {
    importLine.lastIndex = at;
    const [line, address = ''] = importLine.exec(text) ?? [];
    if (line === undefined) return head + text.slice(at);
    const file = address.startsWith(chunkAddress) ? address.slice(chunkAddress.length) : '';
    head += isIdle(file, line !== `import "${address}";\n`) ? '\n' : line;
  }
}

/**
 * Idle is an import for no names of what has run by then: what stands in a joined file that was
 * imported before, and in a joined file each part of which stands after all that it imports, every
 * part that another one imports.
 */
export function findIdleImports(graph: ImportGraph, joined: ReadonlyMap<string, Joined>) {
  const places = new Map([...joined.keys()].map((file, index) => [file, index]));
  const place = (file: string) => places.get(file) ?? -1;
  const groupOf = (file: string) => joined.get(file)?.file;
  const tangled = new Set<string | undefined>();
  for (const [file, { file: group }] of joined) {
    const own = (graph.get(file) ?? []).filter((next) => groupOf(next) === group);
    if (own.some((next) => place(next) > place(file))) tangled.add(group);
  }
  return (importer: string): IsIdle => {
    const own = groupOf(importer);
    const seen = new Set<string>();
    return (target: string, takesNames: boolean) => {
      const group = groupOf(target);
      if (group === undefined) return false;
      const hasRun = group === own ? !tangled.has(group) : seen.has(group);
      seen.add(group);
      return hasRun && !takesNames;
    };
  };
}
