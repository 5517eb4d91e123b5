import { parse } from 'es-module-lexer/js';
import { isLexerError } from './rewrite-module.ts';

/** Finds the names that a JavaScript module exports; undefined if there may be others. */
export function findExportedNames(code: string): string[] | undefined {
  try {
    const names: string[] = [];
    for (const found of parse(code)[1]) {
      if (found.type === 'reexport-all') return undefined;
      names.push(found.name);
    }
    return names;
  } catch (error) {
    if (isLexerError(error)) return undefined;
    throw error;
  }
}
