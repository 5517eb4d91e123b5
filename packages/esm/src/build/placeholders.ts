/**
 * What a built module leaves open until it is linked into a tree of packages:
 * `vitrine-package:react/jsx-runtime` (an import), `vitrine-package?require:x` (a `require`, for
 * which the package may be absent) and `vitrine-base:/…` (an address in the package itself).
 */
import { parse } from 'es-module-lexer';
import { countUses } from './idle-stars.ts';

export interface Placeholder {
  /** Of the text between the quotes, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** 'react/jsx-runtime', 'node:buffer'; absent for the package's own base. */
  readonly specifier?: string;
  readonly how?: 'import' | 'require' | 'dynamic';
  /** Of an import that may be led to where the code is: the whole statement. */
  readonly statement?: Statement & { readonly start: number; readonly end: number };
  /** Of `import * as x`: the names that the module takes from x. */
  readonly members?: readonly string[];
}

/** What an import takes. */
export type Statement =
  /** [name there, name here]; of an import for its effects none. */
  | { readonly takes: 'names'; readonly bindings: readonly (readonly [string, string])[] }
  /** `import * as x` in a module that does nothing with x but take members from it. */
  | { readonly takes: 'members'; readonly as: string }
  /** `export *`. */
  | { readonly takes: 'all' };

export function packagePlaceholder(
  specifier: string,
  how: 'import' | 'require' = 'import',
): string {
  return `vitrine-package${how === 'require' ? '?require' : ''}:${specifier}`;
}

/** All placeholders of a script, in the order of the text. */
export function findPlaceholders(text: string): Placeholder[] {
  const found: Placeholder[] = [];
  for (const item of parse(text)[0]) {
    if (item.type === 'import-meta' || item.specifier === undefined) continue;
    const match = /^vitrine-package(\?require)?:(.+)$/.exec(item.specifier);
    if (!match) continue;
    const isDynamic = item.type === 'dynamic';
    const start = isDynamic ? text.indexOf('vitrine-package', item.start) : item.start;
    const how = match[1] ? 'require' : isDynamic ? 'dynamic' : 'import';
    const end = start + item.specifier.length;
    const head = isDynamic ? '' : text.slice(item.importStart, item.start);
    const members = readMembers(head, text);
    const taken = item.type === 'reexport-star' ? ({ takes: 'all' } as const) : readTaken(head, text);
    const statement = taken && { ...taken, start: item.importStart, end: item.importEnd };
    found.push({
      start,
      end,
      specifier: match[2] ?? '',
      how,
      ...(statement && { statement }),
      ...(members.length > 0 && { members }),
    });
  }
  return [...found, ...findBases(text)].sort((a, b) => a.start - b.start);
}

/** All placeholders of a style sheet: `@import` of other packages' and addresses of own files. */
export function findStylePlaceholders(text: string): Placeholder[] {
  const found: Placeholder[] = [];
  for (const match of text.matchAll(/vitrine-package:([^"')\s]+)/g)) {
    const end = match.index + match[0].length;
    found.push({ start: match.index, end, specifier: match[1] ?? '', how: 'import' });
  }
  return [...found, ...findBases(text)].sort((a, b) => a.start - b.start);
}

function findBases(text: string): Placeholder[] {
  return [...text.matchAll(/vitrine-base:/g)].map(({ index }) => ({
    start: index,
    end: index + 'vitrine-base:'.length,
  }));
}

function readTaken(head: string, text: string): Statement | undefined {
  const space = /^import\s+\*\s*as\s+([\w$]+)\s+from/.exec(head)?.[1];
  if (space !== undefined) {
    const uses = countUses(text, space) - 1;
    if (uses === 0) return { takes: 'names', bindings: [] };
    return uses === findMembers(space, text).length ? { takes: 'members', as: space } : undefined;
  }
  const bindings = /^import\s*["']?$/.test(head) ? [] : readBindings(head);
  return bindings && { takes: 'names', bindings };
}

/** 'import d, { a as b, c } from "' → [[default, d], [a, b], [c, c]]; undefined for any other form. */
export function readBindings(statement: string): [string, string][] | undefined {
  const match = /^import\s+(?:([\w$]+)\s*,?\s*)?(?:\{([^{}]*)\}\s*)?from\s*["']?$/.exec(statement);
  if (!match) return undefined;
  const [, whole, list = ''] = match;
  const items = list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  const named = items.map((item): [string, string] => {
    const [there = '', here = there] = item.split(/\s+as\s+/);
    return [there.replaceAll(/^["']|["']$/g, ''), here];
  });
  return whole === undefined ? named : [['default', whole], ...named];
}

/** More than any module takes by hand; past it the text is one in which names mean many things. */
const membersMax = 500;

/** 'import * as x from "' in a text with `x.a` and `x?.b` → ['a', 'b']. */
function readMembers(statement: string, text: string): string[] {
  const name = /^import\s+(?:[\w$]+\s*,\s*)?\*\s*as\s+([\w$]+)\s+from/.exec(statement)?.[1];
  if (name === undefined) return [];
  const names = new Set(findMembers(name, text));
  return names.size > membersMax ? [] : [...names].sort();
}

/** What follows a name, as often as it does. */
function findMembers(name: string, text: string): string[] {
  const own = name.replaceAll('$', String.raw`\$`);
  const member = new RegExp(String.raw`(?<![\w$.])${own}\s*\??\.\s*([A-Za-z_$][\w$]*)`, 'g');
  return [...text.matchAll(member)].map(([, found = '']) => found);
}
