/** Comparison of the imported values of two versions of a component's module. */
import { parse } from 'acorn';
import { parse as lex } from 'es-module-lexer/js';
import { isLexerError } from '../rewrite-module.ts';

/**
 * Creates a statement that exports the imported values of a component's module. If they are the same
 * in the next version, none of its dependencies has changed.
 * @param identity Expression of a function that returns the same value for all versions of a component.
 *
 * "import A, { b as c } from './d'; …" → "export const __imports = () => [A, c].map(…);"
 */
export function createImportsExport(code: string, identity: string): string {
  return `export const __imports = () => [${localNames(code).join(', ')}].map(${identity});`;
}

/** Expression that compares the imported values with those of the next version, `module`. */
export const sameImportsExpression =
  'module.__imports().every((one, at) => one === __imports()[at])';

/** Returns local names of imports. They are read only when all modules are loaded, circular ones included. */
function localNames(code: string): string[] {
  return readStatements(code).flatMap((statement) =>
    parse(statement, { ecmaVersion: 'latest', sourceType: 'module' }).body.flatMap((node) =>
      node.type === 'ImportDeclaration' ? node.specifiers.map(({ local }) => local.name) : [],
    ),
  );
}

function readStatements(code: string): string[] {
  try {
    const [imports] = lex(code);
    return imports
      .filter(({ type }) => type === 'static')
      .map(({ importStart, importEnd }) => code.slice(importStart, importEnd));
  } catch (error) {
    if (isLexerError(error)) return [];
    throw error;
  }
}
