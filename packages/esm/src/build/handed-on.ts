/** Modules that hold no code of their own, and may be passed by. */
import { parse } from 'es-module-lexer';
import { chunkAddress } from './idle-imports.ts';

export interface HandedOn {
  /** The one file of the build that it takes names from. */
  readonly file: string;
  /** Export → its name in that file. */
  readonly names: Readonly<Record<string, string>>;
}

/** What a script hands on when it does nothing else; undefined of any other. */
export function readHandedOn(text: string): HandedOn | undefined {
  const [imports, exports, isFacade] = parse(text);
  const own = imports.flatMap(({ type, specifier }) => (type === 'static' ? [specifier] : []));
  const [address = '', ...others] = new Set(own);
  if (!isFacade || others.length > 0 || !address.startsWith(chunkAddress)) return undefined;
  const names: Record<string, string> = {};
  for (const item of exports) {
    if (item.type === 'reexport-all') continue;
    if (item.type !== 'reexport' || item.importName === null) return undefined;
    names[item.name] = item.importName;
  }
  return { file: address.slice(chunkAddress.length), names };
}
