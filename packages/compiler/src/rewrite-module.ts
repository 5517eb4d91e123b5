import { parse } from 'es-module-lexer/js';
import { MagicString } from 'magic-string';

/**
 * A module with other specifiers; `rewrite` returns undefined to leave one. Only specifiers written
 * out are seen, `import(name)` stays. Lines stay where they are. Throws where the lexer cannot read
 * the module.
 */
export function rewriteModule(
  source: string,
  rewrite: (specifier: string) => string | undefined,
): string {
  const [imports] = parse(source);
  const output = new MagicString(source);
  for (const found of imports) {
    if (found.type === 'import-meta' || found.specifier === undefined) continue;
    const specifier = rewrite(found.specifier);
    if (specifier === undefined) continue;
    const text = JSON.stringify(specifier);
    const isQuoted = /["'`]/.test(source[found.start] ?? '');
    output.update(found.start, found.end, isQuoted ? text : text.slice(1, -1));
  }
  return output.toString();
}
