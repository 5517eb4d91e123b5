/**
 * What a built module leaves open until it is linked into a tree of packages:
 * `vitrine-package:react/jsx-runtime` (an import), `vitrine-package?require:x` (a `require`, for
 * which the package may be absent) and `vitrine-base:/…` (an address in the package itself).
 */
import { parse } from 'es-module-lexer';

export interface Placeholder {
  /** Of the text between the quotes, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** 'react/jsx-runtime', 'node:buffer'; absent for the package's own base. */
  readonly specifier?: string;
  readonly how?: 'import' | 'require' | 'dynamic';
  /** Names that the import takes, where they are known and none is hidden in a namespace. */
  readonly names?: readonly string[];
}

export function packagePlaceholder(specifier: string, how: 'import' | 'require' = 'import'): string {
  return `vitrine-package${how === 'require' ? '?require' : ''}:${specifier}`;
}

/** All placeholders of a module, in the order of the text. */
export function findPlaceholders(text: string): Placeholder[] {
  const found: Placeholder[] = [];
  for (const item of parse(text)[0]) {
    if (item.type === 'import-meta' || item.specifier === undefined) continue;
    const match = /^vitrine-package(\?require)?:(.+)$/.exec(item.specifier);
    if (!match) continue;
    const isDynamic = item.type === 'dynamic';
    const names = isDynamic ? [] : readNames(text.slice(item.importStart, item.start));
    const start = isDynamic ? text.indexOf('vitrine-package', item.start) : item.start;
    const how = match[1] ? 'require' : isDynamic ? 'dynamic' : 'import';
    const end = start + item.specifier.length;
    found.push({ start, end, specifier: match[2] ?? '', how, ...(names.length > 0 && { names }) });
  }
  for (const match of text.matchAll(/vitrine-base:/g)) {
    found.push({ start: match.index, end: match.index + match[0].length });
  }
  return found.sort((a, b) => a.start - b.start);
}

/** 'import d, { a as b, c } from "' → ['a', 'c']. */
function readNames(statement: string): string[] {
  const list = /\{([^}]*)\}/.exec(statement)?.[1] ?? '';
  const names = list.split(',').map((item) => item.trim().split(/\s+as\s+/)[0] ?? '');
  return names.filter((name) => /^[\p{ID_Start}$_]/u.test(name) && name !== 'default').sort();
}
