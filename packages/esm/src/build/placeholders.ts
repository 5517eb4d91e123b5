/*
 * Placeholders: what a built module leaves open until it is linked into a tree of packages.
 *
 *   vitrine-package:react/jsx-runtime   import of another package
 *   vitrine-package?require:x           `require` of another package, which may be missing
 *   vitrine-base:/…                     URL in the package itself
 */
import { parse } from 'es-module-lexer';
import { countUses } from './unused-star-exports.ts';

/** Position and meaning of a placeholder. The field names are stored on disk. */
export interface Placeholder {
  /** Offset of the text between the quotes, in UTF-16 code units. */
  readonly start: number;
  /** Offset of its end. */
  readonly end: number;
  /** 'react/jsx-runtime', 'node:buffer'; absent for the base URL of the package itself. */
  readonly specifier?: string;
  readonly how?: 'import' | 'require' | 'dynamic';
  /** Whole statement of an import that may be redirected to the file with the code. */
  readonly statement?: ImportForm & { readonly start: number; readonly end: number };
  /** Members of x that the module uses, for `import * as x`. */
  readonly members?: readonly string[];
}

/** Form of an import statement. The field names are stored on disk. */
type ImportForm =
  /** [imported name, local name]; empty for an import for side effects. */
  | { readonly takes: 'names'; readonly bindings: readonly (readonly [string, string])[] }
  /** `import * as x` in a module that only uses members of x. */
  | { readonly takes: 'members'; readonly as: string }
  /** `export *`. */
  | { readonly takes: 'all' };

/** Specifier that stands for an import of another package. */
export function formatPackagePlaceholder(
  specifier: string,
  how: 'import' | 'require' = 'import',
): string {
  return `vitrine-package${how === 'require' ? '?require' : ''}:${specifier}`;
}

/** Finds all placeholders of a script, in text order. */
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
    const statementHead = isDynamic ? '' : text.slice(item.importStart, item.start);
    const members = readMembers(statementHead, text);
    const importForm =
      item.type === 'reexport-star'
        ? ({ takes: 'all' } as const)
        : readImportForm(statementHead, text);
    const statement = importForm && { ...importForm, start: item.importStart, end: item.importEnd };
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

/**
 * Finds all placeholders of a style sheet: `@import` of other packages, and URLs of its own files.
 */
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

function readImportForm(statementHead: string, text: string): ImportForm | undefined {
  const namespace = /^import\s+\*\s*as\s+([\w$]+)\s+from/.exec(statementHead)?.[1];
  if (namespace !== undefined) {
    const uses = countUses(text, namespace) - 1;
    if (uses === 0) return { takes: 'names', bindings: [] };
    return uses === findMembers(namespace, text).length
      ? { takes: 'members', as: namespace }
      : undefined;
  }
  const bindings = /^import\s*["']?$/.test(statementHead) ? [] : readBindings(statementHead);
  return bindings && { takes: 'names', bindings };
}

/**
 * 'import d, { a as b, c } from "' → [[default, d], [a, b], [c, c]]. Undefined for any other form.
 */
export function readBindings(statement: string): [string, string][] | undefined {
  const match = /^import\s+(?:([\w$]+)\s*,?\s*)?(?:\{([^{}]*)\}\s*)?from\s*["']?$/.exec(statement);
  if (!match) return undefined;
  const [, defaultName, list = ''] = match;
  const items = list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  const named = items.map((item): [string, string] => {
    const [imported = '', local = imported] = item.split(/\s+as\s+/);
    return [imported.replaceAll(/^["']|["']$/g, ''), local];
  });
  return defaultName === undefined ? named : [['default', defaultName], ...named];
}

/** Limit of members. In a text with more, the name probably means several things. */
const maxMembers = 500;

/** 'import * as x from "' in a text with `x.a` and `x?.b` → ['a', 'b']. */
function readMembers(statement: string, text: string): string[] {
  const name = /^import\s+(?:[\w$]+\s*,\s*)?\*\s*as\s+([\w$]+)\s+from/.exec(statement)?.[1];
  if (name === undefined) return [];
  const names = new Set(findMembers(name, text));
  return names.size > maxMembers ? [] : [...names].sort();
}

/** Names after `name.` in a text, with repetitions. */
function findMembers(name: string, text: string): string[] {
  const own = name.replaceAll('$', String.raw`\$`);
  const member = new RegExp(String.raw`(?<![\w$.])${own}\s*\??\.\s*([A-Za-z_$][\w$]*)`, 'g');
  return [...text.matchAll(member)].map(([, found = '']) => found);
}
