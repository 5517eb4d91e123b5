/** Converts syntax errors of acorn and oxc to error messages. */
import { tokenizer, tokTypes, type TokenType } from 'acorn';
import { getPosition } from '../page/instrument-html.ts';
import {
  formatParserMessage,
  unaryBeforePower,
  translateParserMessage,
} from './parser-messages.ts';
import { readToken, describeTypicalMistake } from './typical-mistakes.ts';

/** Converts an error of acorn in a plain script, such as "Unterminated string constant (3:4)". */
export function describeAcornError(message: string, source: string, position: number): string {
  const plain = message.replace(/ \(\d+:\d+\)$/, '');
  if (plain === 'Unexpected token')
    return describeUnexpected(source, position, describeUnclosedBracket(source));
  return translateParserMessage(plain) ?? `${formatParserMessage(plain)}.`;
}

/** Converts an error of oxc at an index. Unknown messages are kept, with oxc's advice. */
export function describeOxcError(
  message: string,
  advice: string | null,
  source: string,
  position: number,
): string {
  const inJsx = describeJsxMistake(source, position);
  if (inJsx !== undefined) return inJsx;
  if (message === 'Unexpected token')
    return describeUnexpected(source, position, describeUnclosedTag(source, position));
  const slip = /^Expected (?:a semicolon|`\(`)/.test(message)
    ? describeTypicalMistake(source, position)
    : undefined;
  const known = slip ?? translateParserMessage(message, readToken(source, position));
  if (known !== undefined) return known;
  const parts = advice === null ? [message] : [message, advice];
  return parts.map((part) => `${formatParserMessage(part.trim())}.`).join(' ');
}

/** Describes an unexpected token; `open` describes an unclosed bracket or tag at the end. */
function describeUnexpected(source: string, position: number, open: string): string {
  const found = readToken(source, position);
  // Everything after an unclosed tag is parsed as its text.
  if (found === '' || open.startsWith('“<'))
    return open === '' ? 'Unexpected end of code.' : `Unexpected end of code: ${open}`;
  const before = source.slice(0, position).trimEnd();
  const operator = /(?:=>|[=!<>]=+|\*\*|&&|\|\||\?\?|[=+\-*/%&|^!?:])$/.exec(before)?.[0];
  if (operator !== undefined && /^[;)\]},]$/.test(found))
    return `Missing value between “${operator}” and “${found}”.`;
  if (source.startsWith('**', position)) return unaryBeforePower;
  if (/^[)\]}]$/.test(found) && !isOpened(source, position, found))
    return `“${found}” has no matching “${pairs[found]}”.`;
  return describeTypicalMistake(source, position) ?? `Unexpected “${found}”.`;
}

/** Describes the last tag before an index if it isn't closed: "“<p>” on line 3 isn’t closed.", else ''. */
function describeUnclosedTag(source: string, position: number): string {
  // Type parameters look like a tag: “function find<Name>(”, “<Type extends object>(value”.
  const found =
    /(?<![\w$](?=<[A-Z]))<(?!\w+\s+extends\b)([A-Za-z][\w.]*|)(?:\s[^<>]*)?>(?!\()[^<]*$/.exec(
      source.slice(0, position),
    );
  if (!found || source.includes(`</${found[1]}`, position)) return '';
  return `“<${found[1]}>” on line ${getPosition(source, found.index).line} isn’t closed.`;
}

const pairs: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** Counts brackets, including those in strings and comments, which is exact enough to find a stray one. */
function isOpened(source: string, position: number, close: string): boolean {
  const before = source.slice(0, position);
  return before.split(pairs[close] ?? '').length > before.split(close).length;
}

/** Describes the innermost unclosed bracket: "the “{” on line 3 isn’t closed.", else ''. */
function describeUnclosedBracket(source: string): string {
  const open: { mark: string; at: number }[] = [];
  try {
    for (const { type, start } of tokenizer(source, { ecmaVersion: 'latest' })) {
      const mark = openers.get(type);
      if (mark !== undefined) open.push({ mark, at: start });
      else if (closers.has(type)) open.pop();
    }
  } catch (error) {
    // A tokenizer without a parser may misread a slash; then nothing is reported.
    if (error instanceof SyntaxError) return '';
    throw error;
  }
  const last = open.at(-1);
  return last
    ? `the “${last.mark}” on line ${getPosition(source, last.at).line} isn’t closed.`
    : '';
}

const openers = new Map<TokenType, string>([
  [tokTypes.braceL, '{'],
  [tokTypes.dollarBraceL, '${'],
  [tokTypes.parenL, '('],
  [tokTypes.bracketL, '['],
]);
const closers = new Set<TokenType>([tokTypes.braceR, tokTypes.parenR, tokTypes.bracketR]);

/** Describes the mistake at an index; undefined if it isn't a typical one. */
function describeJsxMistake(source: string, position: number): string | undefined {
  const found = readToken(source, position);
  const before = source.slice(0, position).trimEnd();
  if (found === '!' && before.endsWith('<'))
    return 'JSX doesn’t support “<!-- -->” comments. Use {/* … */}.';
  if (found === '/' && before.endsWith('<'))
    return describeClosingTag(before, source.slice(position));
  if (statements.includes(found) && /<[A-Za-z][^<>]*>[^<]*\{$/.test(before))
    return `“${found}” can’t be used inside JSX braces. Use an expression, such as {a ? b : c}.`;
  if (found === ':' && /\bstyle=\{\s*[\w$]+$/.test(before))
    return 'The style prop takes an object: style={{ color: "red" }}.';
  if (/<[A-Za-z][^<>{}]*\s\{$/.test(before) && isName(found))
    return `Unexpected “{” in a tag. Use name={${found}}, or {...${found}} to spread an object.`;
  if (/<[A-Za-z][^<>]*\s[\w-]+=$/.test(before) && /^[\w$]/.test(found))
    return 'JSX attribute values need quotes or braces: name="text" or name={value}.';
  return undefined;
}

const statements = ['if', 'for', 'while', 'switch', 'return', 'const', 'let', 'var'];

function isName(token: string): boolean {
  return /^[\p{ID_Start}$_]/u.test(token);
}

function describeClosingTag(before: string, rest: string): string | undefined {
  if (/\{[^{}<]*<$/.test(before)) return 'The “{” before this tag is missing its closing “}”.';
  const [, tag = ''] = /^\/\s*([\w.]*)/.exec(rest) ?? [];
  return /[=(,:?[]\s*<$/.test(before) ? `“</${tag}>” has no matching “<${tag}>”.` : undefined;
}
