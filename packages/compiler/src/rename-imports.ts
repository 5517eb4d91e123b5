import { encodePath, resolvePath } from './resolve-path.ts';
import { applyEdits, findImportEdits, isLexerError } from './rewrite-module.ts';

/**
 * Replaces the specifiers of the project's modules in a compiled module. `nameOf` gets the module id,
 * a path with the query of the specifier, and returns undefined to keep it.
 * In "src/main.js": "./a.js" has the id "src/a.js", "/data.json?module" the id "data.json?module".
 */
export function renameImports(
  path: string,
  code: string,
  nameOf: (id: string) => string | undefined,
): string {
  try {
    const edits = findImportEdits(code, ({ specifier }) => {
      if (!/^\.{0,2}\//.test(specifier)) return undefined;
      const target = resolvePath(path, specifier);
      return target && nameOf(target + (/\?[^#]*/.exec(specifier)?.[0] ?? ''));
    });
    return applyEdits(code, edits);
  } catch (error) {
    // The browser reports what the lexer can't read.
    if (isLexerError(error)) return code;
    throw error;
  }
}

/** "a b/c.json?module" → "/a%20b/c.json?module" */
export function getProjectModuleUrl(id: string): string {
  const [path = '', query] = id.split('?');
  return `/${encodePath(path)}${query === undefined ? '' : `?${query}`}`;
}
