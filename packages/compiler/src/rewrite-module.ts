import { parse, type Import } from 'es-module-lexer/js';

/** An import as it stands in a module. */
export interface FoundImport {
  specifier: string;
  /** `import(…)`, which may be meant for a place that is never reached. */
  isDynamic: boolean;
  /** `with { type: 'json' }` says what the browser has to make of the file. */
  hasAttributes: boolean;
  /** The whole statement or call. */
  statement: string;
  /** Index of the specifier in the module. */
  at: number;
}

/** What was put in place of a part of a text. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** What was read last: several ask of the same text in turn, and it may be long. */
let last: { source: string; found: ReturnType<typeof parse> } | undefined;

/** The imports and exports of a module. Throws where the lexer cannot read it (`isLexerError`). */
export function readModule(source: string): ReturnType<typeof parse> {
  if (last?.source !== source) last = { source, found: parse(source) };
  return last.found;
}

/**
 * What gives a module other specifiers, in the order of the text; `rewrite` returns undefined to
 * leave one. Only specifiers written out are seen, `import(name)` stays. Lines stay where they are.
 * Throws where the lexer cannot read the module (`isLexerError`).
 */
export function findEdits(
  source: string,
  rewrite: (found: FoundImport) => string | undefined,
): Edit[] {
  const [imports] = readModule(source);
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
 * Addresses of files that a module names relative to its own, which `find` knows others for:
 * `new URL('./a.svg', import.meta.url)` → `new URL("vitrine-file:a.svg")`
 */
export function findAssetAddresses(
  source: string,
  find: (specifier: string) => string | undefined,
): Edit[] {
  const [imports] = readModule(source);
  return imports.flatMap(({ type, start, end }): Edit[] => {
    if (type !== 'import-meta') return [];
    const before = /\bnew\s+URL\s*\(\s*(["'`])([^"'`$\n]+)\1\s*,\s*$/.exec(
      source.slice(Math.max(0, start - 500), start),
    );
    const after = /^\s*\.\s*url\b/.exec(source.slice(end));
    const [whole = '', , specifier = ''] = before ?? [];
    const address = before && after ? find(specifier) : undefined;
    if (address === undefined || !after) return [];
    const from = start - whole.length + whole.search(/["'`]/);
    const to = end + after[0].length;
    // Those that come after stay in their lines.
    const breaks = source.slice(from, to).replace(/[^\n]/g, '');
    return [{ start: from, end: to, text: JSON.stringify(address) + breaks }];
  });
}

/** Edits that do not overlap, in the order of the text. */
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

/** Whether an error says that a text is no module, as far as the lexer can tell. */
export function isLexerError(error: unknown): boolean {
  return error instanceof SyntaxError || (error instanceof Error && 'idx' in error);
}
