/**
 * Modules that only re-export, so that importers can import from the file with the code instead.
 */
import { parse } from 'es-module-lexer';
import { chunkUrlPrefix } from './import-graph.ts';

/** Re-exports of a module that contains nothing else. */
export interface Reexports {
  /** The one file of the build that the module re-exports from. */
  readonly file: string;
  /** Exported name → its name in that file. */
  readonly names: Readonly<Record<string, string>>;
}

/** Re-exports of a script that contains nothing else; undefined for any other script. */
export function parseReexports(text: string): Reexports | undefined {
  const [imports, exports, isFacade] = parse(text);
  const own = imports.flatMap(({ type, specifier }) => (type === 'static' ? [specifier] : []));
  const [url = '', ...others] = new Set(own);
  if (!isFacade || others.length > 0 || !url.startsWith(chunkUrlPrefix)) return undefined;
  const names: Record<string, string> = {};
  for (const item of exports) {
    if (item.type === 'reexport-all') continue;
    if (item.type !== 'reexport' || item.importName === null) return undefined;
    names[item.name] = item.importName;
  }
  return { file: url.slice(chunkUrlPrefix.length), names };
}
