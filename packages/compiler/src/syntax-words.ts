/** What the parsers say of a text that does not parse, in plain words. */
import { tokenizer, tokTypes, type TokenType } from 'acorn';
import { positionAt } from './instrument-html.ts';
import { wordJsxSlip } from './jsx-words.ts';
import { quoted, signBeforePower, wordKnown } from './known-words.ts';
import { readToken, wordSlip } from './slip-words.ts';

/** acorn's words about a plain script: "Unterminated string constant (3:4)" → a sentence. */
export function wordPlainMistake(message: string, source: string, position: number): string {
  const plain = message.replace(/ \(\d+:\d+\)$/, '');
  if (plain === 'Unexpected token') return wordUnexpected(source, position, findOpen(source));
  return wordKnown(plain) ?? `${quoted(plain)}.`;
}

/** oxc's words about the token at a place; what is in no table stays, with its advice. */
export function wordTypedMistake(
  message: string,
  advice: string | null,
  source: string,
  position: number,
): string {
  const inJsx = wordJsxSlip(source, position);
  if (inJsx !== undefined) return inJsx;
  if (message === 'Unexpected token')
    return wordUnexpected(source, position, findOpenTag(source, position));
  const slip = /^Expected (?:a semicolon|`\(`)/.test(message)
    ? wordSlip(source, position)
    : undefined;
  const known = slip ?? wordKnown(message, readToken(source, position));
  if (known !== undefined) return known;
  const said = advice === null ? [message] : [message, advice];
  return said.map((part) => `${quoted(part.trim())}.`).join(' ');
}

/** What is to be said of a token that nothing lets stand where it does; `open` of one at the end. */
function wordUnexpected(source: string, position: number, open: string): string {
  const found = readToken(source, position);
  // What follows a tag that is never closed is taken for its text.
  if (found === '' || open.startsWith('“<'))
    return open === '' ? 'Unexpected end of code.' : `Unexpected end of code: ${open}`;
  const before = source.slice(0, position).trimEnd();
  const operator = /(?:=>|[=!<>]=+|\*\*|&&|\|\||\?\?|[=+\-*/%&|^!?:])$/.exec(before)?.[0];
  if (operator !== undefined && /^[;)\]},]$/.test(found))
    return `Missing value between “${operator}” and “${found}”.`;
  if (source.startsWith('**', position)) return signBeforePower;
  if (/^[)\]}]$/.test(found) && !isOpened(source, position, found))
    return `“${found}” has no matching “${pairs[found]}”.`;
  return wordSlip(source, position) ?? `Unexpected “${found}”.`;
}

/** "“<p>” of line 3 is not closed." for the last tag before a place where nothing closes it, else ''. */
function findOpenTag(source: string, position: number): string {
  const found = /<([A-Za-z][\w.]*|)(?:\s[^<>]*)?>[^<]*$/.exec(source.slice(0, position));
  if (!found || source.includes(`</${found[1]}`, position)) return '';
  return `“<${found[1]}>” on line ${positionAt(source, found.index).line} isn’t closed.`;
}

const pairs: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** Counts brackets without reading strings or comments: enough to tell a lonely one. */
function isOpened(source: string, position: number, close: string): boolean {
  const before = source.slice(0, position);
  return before.split(pairs[close] ?? '').length > before.split(close).length;
}

/** "the “{” of line 3 is not closed." for the innermost bracket that the text leaves open, else ''. */
function findOpen(source: string): string {
  const open: { mark: string; at: number }[] = [];
  try {
    for (const { type, start } of tokenizer(source, { ecmaVersion: 'latest' })) {
      const mark = openers.get(type);
      if (mark !== undefined) open.push({ mark, at: start });
      else if (closers.has(type)) open.pop();
    }
  } catch (error) {
    // Without the grammar a slash can be read wrongly; then nothing is said.
    if (error instanceof SyntaxError) return '';
    throw error;
  }
  const last = open.at(-1);
  return last ? `the “${last.mark}” on line ${positionAt(source, last.at).line} isn’t closed.` : '';
}

const openers = new Map<TokenType, string>([
  [tokTypes.braceL, '{'],
  [tokTypes.dollarBraceL, '${'],
  [tokTypes.parenL, '('],
  [tokTypes.bracketL, '['],
]);
const closers = new Set<TokenType>([tokTypes.braceR, tokTypes.parenR, tokTypes.bracketR]);
