import { parse, type Import } from 'es-module-lexer/js';

/** An import in a module. */
export interface FoundImport {
  specifier: string;
  /** Whether it is `import(…)`, which may never be executed. */
  isDynamic: boolean;
  /** Whether it has attributes such as `with { type: 'json' }`. */
  hasAttributes: boolean;
  /** The whole statement or call. */
  statement: string;
  /** Index of the specifier in the module's text. */
  at: number;
}

/** A replacement of a range of a text. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** The last lexed module: several functions lex the same text in turn, and it may be long. */
let last: { source: string; found: ReturnType<typeof parse> } | undefined;

/** Lexes the imports and exports of a module. Throws if the lexer can't read it (`isLexerError`). */
export function lexModule(source: string): ReturnType<typeof parse> {
  if (last?.source !== source) last = { source, found: parse(source) };
  return last.found;
}

/**
 * Creates edits that replace specifiers of a module, in text order. `rewrite` returns undefined to
 * keep one. Only literal specifiers are found, `import(name)` stays. Line numbers don't change.
 * Throws if the lexer can't read the module (`isLexerError`).
 */
export function findImportEdits(
  source: string,
  rewrite: (found: FoundImport) => string | undefined,
): Edit[] {
  const [imports] = lexModule(source);
  const edits: Edit[] = [];
  for (const found of imports) {
    const described = describe(found, source);
    const specifier = described && rewrite(described);
    if (specifier === undefined) continue;
    const text = JSON.stringify(specifier);
    const isQuoted = /["'`]/.test(source[found.start] ?? '');
    edits.push({ start: found.start, end: found.end, text: isQuoted ? text : text.slice(1, -1) });
  }
  return edits.sort((a, b) => a.start - b.start);
}

/**
 * Creates edits that replace URLs relative to `import.meta.url` with the ones that `find` returns:
 * `new URL('./a.svg', import.meta.url)` → `new URL("vitrine-file:a.svg")`
 */
export function findAssetUrlEdits(
  source: string,
  find: (specifier: string) => string | undefined,
): Edit[] {
  const [imports] = lexModule(source);
  return imports.flatMap(({ type, start, end }): Edit[] => {
    if (type !== 'import-meta') return [];
    const before = /\bnew\s+URL\s*\(\s*(["'`])([^"'`$\n]+)\1\s*,\s*$/.exec(
      source.slice(Math.max(0, start - 500), start),
    );
    const after = /^\s*\.\s*url\b/.exec(source.slice(end));
    const [whole = '', , specifier = ''] = before ?? [];
    const url = before && after ? find(specifier) : undefined;
    if (url === undefined || !after) return [];
    const from = start - whole.length + whole.search(/["'`]/);
    const to = end + after[0].length;
    // Keeps the line numbers of following code.
    const breaks = source.slice(from, to).replace(/[^\n]/g, '');
    return [{ start: from, end: to, text: JSON.stringify(url) + breaks }];
  });
}

/** Applies edits, which don't overlap and are in text order. */
export function applyEdits(source: string, edits: readonly Edit[]): string {
  let output = '';
  let at = 0;
  for (const { start, end, text } of edits) {
    output += source.slice(at, start) + text;
    at = end;
  }
  return output + source.slice(at);
}

function describe(found: Import, source: string): FoundImport | undefined {
  if (found.type === 'import-meta' || found.specifier === undefined) return undefined;
  const isDynamic = found.type === 'dynamic';
  if (isDynamic && found.glob) return undefined;
  return {
    specifier: found.specifier,
    isDynamic,
    hasAttributes: found.attributesStart !== -1,
    statement: source.slice(found.importStart, found.importEnd),
    at: found.start,
  };
}

/** Finds the names that a JavaScript module exports; undefined if there may be others. */
export function findExportedNames(code: string): string[] | undefined {
  try {
    const names: string[] = [];
    for (const found of lexModule(code)[1]) {
      if (found.type === 'reexport-all') return undefined;
      names.push(found.name);
    }
    return names;
  } catch (error) {
    if (isLexerError(error)) return undefined;
    throw error;
  }
}

/** Whether an error of the lexer means that a text is not a valid module. */
export function isLexerError(error: unknown): boolean {
  return error instanceof SyntaxError || (error instanceof Error && 'idx' in error);
}
