import { encodePath, resolvePath } from './resolve-path.ts';
import { applyEdits, findEdits, isLexerError } from './rewrite-module.ts';

/**
 * A module that runs, with other specifiers for the project's modules. `nameOf` gets the id, a path
 * with the query that the specifier has, and returns undefined to leave it.
 * In "src/main.js": "./a.js" has the id "src/a.js", "/data.json?module" the id "data.json?module".
 */
export function renameImports(
  path: string,
  code: string,
  nameOf: (id: string) => string | undefined,
): string {
  try {
    const edits = findEdits(code, ({ specifier }) => {
      if (!/^\.{0,2}\//.test(specifier)) return undefined;
      const target = resolvePath(path, specifier);
      return target && nameOf(target + (/\?[^#]*/.exec(specifier)?.[0] ?? ''));
    });
    return applyEdits(code, edits);
  } catch (error) {
    // What the lexer cannot read, the browser will say so at the place.
    if (isLexerError(error)) return code;
    throw error;
  }
}

/** "a b/c.json?module" → "/a%20b/c.json?module" */
export function moduleAddress(id: string): string {
  const [path = '', query] = id.split('?');
  return `/${encodePath(path)}${query === undefined ? '' : `?${query}`}`;
}
