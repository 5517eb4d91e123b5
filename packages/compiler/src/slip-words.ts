/** Slips of the hand, told by the word before a token that nothing lets stand there, or by the token. */
import { wordKnown } from './known-words.ts';
import { findNear } from './near-name.ts';

/** What stands in front of a place, without the space at its end, and the token there. */
interface Slip {
  readonly before: string;
  readonly found: string;
  /** The last word of `before`, if it ends with one. */
  readonly word: string | undefined;
}

/** Undefined where nothing better can be said than that the token is not expected. */
export function wordSlip(source: string, position: number): string | undefined {
  const before = source.slice(0, position).trimEnd();
  const found = readToken(source, position);
  const word = /[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.exec(before)?.[0];
  const slip = { before, found, word };
  return wordModule(slip) ?? wordTyped(slip) ?? wordHead(slip) ?? wordNear(slip);
}

/** Up to thirty characters of what stands at a place; '' at the end. */
export function readToken(source: string, position: number): string {
  const token = /\s*([\p{ID_Start}$_#@][\p{ID_Continue}$]*|\d[\w.]*|=>|[=!<>]=+|\S)/uy;
  token.lastIndex = position;
  return token.exec(source)?.[1]?.slice(0, 30) ?? '';
}

/** Of imports and exports. */
function wordModule({ before, found, word }: Slip): string | undefined {
  if (found === 'from' && /\b(?:import|export)\b[^;{}]*\{[^{}]*$/.test(before))
    return 'Missing “}” before “from”.';
  if (word === 'from' && /\b(?:import|export)\b[^;]*$/.test(before) && /^[\w$.@/]/.test(found))
    return 'Module names need quotes: from "./file.js".';
  if (found === 'assert' && /\bimport\b[^;\n]*["']$/.test(before))
    return 'Import “assert” was replaced by “with”: with { type: "json" }.';
  if (word === 'default' && /\bexport\s+default$/.test(before) && /^(?:const|let|var)$/.test(found))
    return `“export default” can’t be followed by “${found}”. Use “export ${found}”.`;
  if (word === 'export' && isValue(found))
    return '“export” needs a declaration or names in braces: export { name }.';
  return undefined;
}

/** Of TypeScript in a file that is not. */
function wordTyped({ before, found, word }: Slip): string | undefined {
  if (found === ':' && /\b(?:const|let|var)\s+[\w$]+$/.test(before))
    return 'Type annotations only work in TypeScript. Rename the file to end in “.ts”.';
  return (word === 'interface' || word === 'type') && /^[\p{ID_Start}$_]/u.test(found)
    ? `“${word}” only works in TypeScript. Rename the file to end in “.ts”.`
    : undefined;
}

/** Of what begins a statement, and the parentheses behind it. */
function wordHead({ before, found, word }: Slip): string | undefined {
  if (found === 'else') return '“else” without a preceding “if”.';
  if (/\bconst\s+[\w$]+$/.test(before))
    return '“const” needs an initial value: const name = value.';
  if (found === '{') {
    const [line = ''] = before.split('\n').slice(-1);
    const head = /\b(?:if|while|for|switch)\s*\(.*$/.exec(line)?.[0] ?? '';
    if (countOf('(', head) > countOf(')', head)) return 'Expected “)” before “{”.';
    const called = /([\w$]+)\s*\([^(){}]*\)$/.exec(line)?.[1];
    return called === undefined ? undefined : wordMistyped(called, heads);
  }
  if (word === undefined) return undefined;
  if (['if', 'while', 'for', 'switch', 'catch'].includes(word) && found !== '(')
    return `Expected “(” after “${word}”.`;
  if (word === 'function' && found === '(') return wordKnown('Expected function name');
  if (word === 'await') return wordKnown('`await` is only allowed');
  return undefined;
}

function wordNear({ before, found, word }: Slip): string | undefined {
  if (!isValue(found)) return undefined;
  if (word === undefined) return /["'`)\]}\d]$/.test(before) ? wordGap(found) : undefined;
  return wordMistyped(word, keywords) ?? wordGap(found);
}

function wordMistyped(word: string, known: readonly string[]): string | undefined {
  if (/^(?:elseif|elif|elsif)$/.test(word)) return `Unknown keyword “${word}”. Use “else if”.`;
  const meant = known.includes(word) ? undefined : word === 'fi' ? 'if' : findNear(word, known);
  return meant && `Unknown keyword “${word}”. Did you mean “${meant}”?`;
}

function wordGap(found: string): string {
  return keywords.includes(found)
    ? `Unexpected “${found}”. There may be a “;” or a line break missing before it.`
    : `Unexpected “${found}”. There may be a “,” or an operator missing before it.`;
}

function isValue(token: string): boolean {
  return /^[\p{ID_Start}$_\d"'`]/u.test(token);
}

function countOf(mark: string, text: string): number {
  return text.split(mark).length - 1;
}

const heads = ['if', 'for', 'while', 'switch', 'catch'];
const keywords = `const let var function return import export class async await switch while throw
  typeof new default static extends delete`.split(/\s+/);
