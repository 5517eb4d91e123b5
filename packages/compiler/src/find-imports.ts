import { isPath } from './find-module.ts';
import { resolvePath } from './resolve-path.ts';
import { findEdits, isLexerError } from './rewrite-module.ts';

/**
 * The project's files that a script in the form in which it runs imports, also by `import(…)`.
 * In "src/a.ts": `import '/src/b.ts'; import './c.css?module'` → ["src/b.ts", "src/c.css"]
 */
export function findImports(path: string, code: string): string[] {
  const found = new Set<string>();
  try {
    findEdits(code, ({ specifier }) => {
      const target = isPath(specifier) ? resolvePath(path, specifier) : undefined;
      if (target !== undefined) found.add(target);
      return undefined;
    });
  } catch (error) {
    // What the lexer cannot read imports nothing that anybody could know of.
    if (!isLexerError(error)) throw error;
  }
  return [...found];
}
