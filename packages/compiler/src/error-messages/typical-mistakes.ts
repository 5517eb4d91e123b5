/** Error messages for typical mistakes, recognized by an unexpected token and the word before it. */
import { translateParserMessage } from './parser-messages.ts';
import { findClosestName } from './closest-name.ts';

/** The text before an unexpected token, without trailing space, and the token. */
interface Context {
  readonly before: string;
  readonly found: string;
  /** The last word of `before`, if it ends with one. */
  readonly word: string | undefined;
}

/** Describes the mistake at an index; undefined if it isn't a typical one. */
export function describeTypicalMistake(source: string, position: number): string | undefined {
  const before = source.slice(0, position).trimEnd();
  const found = readToken(source, position);
  const word = /[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.exec(before)?.[0];
  const context = { before, found, word };
  return (
    describeModuleMistake(context) ??
    describeTypeSyntax(context) ??
    describeStatementMistake(context) ??
    describeTypo(context)
  );
}

/** Returns up to 30 characters of the token at an index; '' at the end. */
export function readToken(source: string, position: number): string {
  const token = /\s*([\p{ID_Start}$_#@][\p{ID_Continue}$]*|\d[\w.]*|=>|[=!<>]=+|\S)/uy;
  token.lastIndex = position;
  return token.exec(source)?.[1]?.slice(0, 30) ?? '';
}

/** Describes mistakes in imports and exports. */
function describeModuleMistake({ before, found, word }: Context): string | undefined {
  if (found === 'from' && /\b(?:import|export)\b[^;{}]*\{[^{}]*$/.test(before))
    return 'Missing “}” before “from”.';
  if (word === 'from' && /\b(?:import|export)\b[^;]*$/.test(before) && /^[\w$.@/]/.test(found))
    return 'Module names need quotes: from "./file.js".';
  if (found === 'assert' && /\bimport\b[^;\n]*["']$/.test(before))
    return 'Import attributes now use “with” instead of “assert”: with { type: "json" }.';
  if (word === 'default' && /\bexport\s+default$/.test(before) && /^(?:const|let|var)$/.test(found))
    return `“export default” can’t be followed by “${found}”. Use “export ${found}”.`;
  if (word === 'export' && isValue(found))
    return '“export” needs a declaration or names in braces: export { name }.';
  return undefined;
}

/** Describes TypeScript syntax in a JavaScript file. */
function describeTypeSyntax({ before, found, word }: Context): string | undefined {
  if (found === ':' && /\b(?:const|let|var)\s+[\w$]+$/.test(before))
    return 'Type annotations only work in TypeScript. Rename the file to end in “.ts”.';
  return (word === 'interface' || word === 'type') && /^[\p{ID_Start}$_]/u.test(found)
    ? `“${word}” only works in TypeScript. Rename the file to end in “.ts”.`
    : undefined;
}

/** Describes mistakes in statement keywords and their parentheses. */
function describeStatementMistake({ before, found, word }: Context): string | undefined {
  if (found === 'else') return '“else” without a preceding “if”.';
  if (/\bconst\s+[\w$]+$/.test(before))
    return '“const” needs an initial value: const name = value.';
  if (found === '{') {
    const [line = ''] = before.split('\n').slice(-1);
    const head = /\b(?:if|while|for|switch)\s*\(.*$/.exec(line)?.[0] ?? '';
    if (countMark('(', head) > countMark(')', head)) return 'Expected “)” before “{”.';
    const called = /([\w$]+)\s*\([^(){}]*\)$/.exec(line)?.[1];
    return called === undefined ? undefined : suggestKeyword(called, statementKeywords);
  }
  if (word === undefined) return undefined;
  if (['if', 'while', 'for', 'switch', 'catch'].includes(word) && found !== '(')
    return `Expected “(” after “${word}”.`;
  if (word === 'function' && found === '(') return translateParserMessage('Expected function name');
  if (word === 'await') return translateParserMessage('`await` is only allowed');
  return undefined;
}

function describeTypo({ before, found, word }: Context): string | undefined {
  if (!isValue(found)) return undefined;
  if (word === undefined)
    return /["'`)\]}\d]$/.test(before) ? describeMissingSeparator(found) : undefined;
  return suggestKeyword(word, keywords) ?? describeMissingSeparator(found);
}

function suggestKeyword(word: string, known: readonly string[]): string | undefined {
  if (/^(?:elseif|elif|elsif)$/.test(word)) return `Unknown keyword “${word}”. Use “else if”.`;
  const meant = known.includes(word)
    ? undefined
    : word === 'fi'
      ? 'if'
      : findClosestName(word, known);
  return meant && `Unknown keyword “${word}”. Did you mean “${meant}”?`;
}

function describeMissingSeparator(found: string): string {
  return keywords.includes(found)
    ? `Unexpected “${found}”. There may be a “;” or a line break missing before it.`
    : `Unexpected “${found}”. There may be a “,” or an operator missing before it.`;
}

function isValue(token: string): boolean {
  return /^[\p{ID_Start}$_\d"'`]/u.test(token);
}

function countMark(mark: string, text: string): number {
  return text.split(mark).length - 1;
}

const statementKeywords = ['if', 'for', 'while', 'switch', 'catch'];
const keywords = `const let var function return import export class async await switch while throw
  typeof new default static extends delete`.split(/\s+/);
