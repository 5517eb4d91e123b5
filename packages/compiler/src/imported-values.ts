/** What a component's module has imported, told to the module that takes its place. */
import { parse } from 'acorn';
import { parse as lex } from 'es-module-lexer/js';
import { isLexerError } from './rewrite-module.ts';

/**
 * A statement by which a component's module and the next compare what they have imported: where that
 * is the same, an edit cannot have come from there. `identity` is an expression for what makes two
 * versions of a component the same one.
 *
 * "import A, { b as c } from './d'; …" → "export const __imports = () => [A, c].map(…);"
 */
export function tellImports(code: string, identity: string): string {
  return `export const __imports = () => [${localNames(code).join(', ')}].map(${identity});`;
}

/** An expression, where `module` is the next: whether it has imported the same. */
export const hasSameImports = 'module.__imports().every((one, at) => one === __imports()[at])';

/** Called only when all is loaded, so that it may name what a circle of imports has not yet made. */
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
