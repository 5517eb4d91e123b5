import { declaredNames } from './declared-names.ts';
import { parseScript } from './parse-script.ts';
import { namesIn } from './svelte/code-nodes.ts';

const word = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;

/**
 * Names that have come into a text with an edit and that nothing declares, as one that is half typed:
 * `{coun` of `{count`. `code` is the module that was made of the text.
 */
export function findUnknownNames(before: string, text: string, code: string): string[] {
  const earlier = new Set(before.match(word));
  const added = new Set(text.match(word)?.filter((name) => !earlier.has(name)));
  // Most letters bring none.
  if (added.size === 0) return [];
  const declared = declaredNames(code);
  const used = new Set(usedNames(code));
  return [...added].filter((name) => used.has(name) && !declared.has(name));
}

function usedNames(code: string): string[] {
  try {
    return namesIn(parseScript(code, { ecmaVersion: 'latest', sourceType: 'module' }));
  } catch (error) {
    // What runs may hold what acorn does not know yet.
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
