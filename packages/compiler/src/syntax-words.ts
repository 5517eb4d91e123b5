/** What the parsers say of a text that does not parse, in plain words. */
import { tokenizer, tokTypes, type TokenType } from 'acorn';
import { positionAt } from './instrument-html.ts';

/** acorn's words about a plain script: "Unterminated string constant (3:4)" → a sentence. */
export function wordPlainMistake(message: string, source: string, position: number): string {
  const plain = message.replace(/ \(\d+:\d+\)$/, '');
  if (plain === 'Unexpected token') return wordUnexpected(source, position, findOpen(source));
  return wordKnown(plain) ?? `${quoted(plain)}.`;
}

/** What is to be said of a token that nothing lets stand where it does. */
export function wordUnexpected(source: string, position: number, open = ''): string {
  const found = readToken(source, position);
  if (found === '') return open === '' ? 'The code ends too early.' : `The code ends, but ${open}`;
  const before = /\S*$/.exec(source.slice(0, position).trimEnd())?.[0] ?? '';
  const operator = /(?:=>|[=!<>]=+|\*\*|&&|\|\||\?\?|[=+\-*/%<>&|^!?:])$/.exec(before)?.[0];
  if (operator !== undefined && /^[;)\]},]$/.test(found))
    return `A value is missing between “${operator}” and “${found}”.`;
  if (/^[)\]}]$/.test(found) && !isOpened(source, position, found))
    return `“${found}” closes nothing: there is no “${pairs[found]}” for it.`;
  if (found === 'else') return '“else” has no “if” right before it.';
  return `Unexpected “${found}”.`;
}

const pairs: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** Up to thirty characters of what stands at a place; '' at the end. */
function readToken(source: string, position: number): string {
  const token = /[\p{ID_Start}$_#@][\p{ID_Continue}$]*|\d[\w.]*|=>|[=!<>]=+|\S/uy;
  token.lastIndex = position;
  return token.exec(source)?.[0].slice(0, 30) ?? '';
}

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
  return last ? `the “${last.mark}” of line ${positionAt(source, last.at).line} is not closed.` : '';
}

const openers = new Map<TokenType, string>([
  [tokTypes.braceL, '{'],
  [tokTypes.dollarBraceL, '${'],
  [tokTypes.parenL, '('],
  [tokTypes.bracketL, '['],
]);
const closers = new Set<TokenType>([tokTypes.braceR, tokTypes.parenR, tokTypes.bracketR]);

type Rule = readonly [pattern: RegExp, sentence: string | ((found: RegExpExecArray) => string)];

/** What acorn and oxc say, and what is said here. */
const rules: readonly Rule[] = [
  [/^Unterminated string/, 'This text in quotes has no quote at its end.'],
  [/^Unterminated template/, 'This template has no “`” at its end.'],
  [/^Unterminated (?:multi-?line )?comment/, 'This comment has no “*/” at its end.'],
  [/^Unterminated reg/, 'This regular expression has no “/” at its end.'],
  [
    /^Identifier ['`](.+)['`] has already been declared/,
    ([, name]) => `“${name}” is declared twice.`,
  ],
  [
    /^Assigning to rvalue|^Cannot assign to this expression|^Invalid left-hand side in (?:assignment|expression)/,
    'Nothing can be assigned to what stands left of “=”. To compare, write “===”.',
  ],
  [
    /^'return' outside of function|^A 'return' statement can only/,
    '“return” works only inside a function.',
  ],
  [
    /^'import' and 'export' may appear only with|^Cannot use import statement outside/,
    '“import” and “export” work only in modules: say <script type="module">.',
  ],
  [
    /^'import' and 'export' may only appear at the top|^Modifiers cannot appear|^'?(?:import|export)'? (?:declarations?|statements?) .*top/i,
    '“import” and “export” cannot stand inside a function or a block.',
  ],
  [
    /keyword 'await' outside an async|^`?await`? is only allowed/i,
    '“await” works only in a function that is marked “async”, and at the top of a module.',
  ],
  [/^Unexpected keyword '(.+)'|^The keyword '(.+)' is reserved/, ([, a, b]) => `“${a ?? b}” is a word of the language, and no name.`],
  [/^(?:Unsyntactic|Illegal) (break|continue)/, ([, word]) => `“${word}” works only inside a loop.`],
  [/^(?:Missing|Expected) (?:a )?`?catch`? or `?finally`?/i, '“try” needs a “catch” or a “finally” behind it.'],
  [/^Duplicate export '(.+)'|^Duplicated export '(.+)'/, ([, a, b]) => `“${a ?? b}” is exported twice.`],
  [/^Export '(.+)' is not defined/, ([, name]) => `“${name}” is exported, and nothing here has that name.`],
  [/^Invalid regular expression: \/(.*)\/\w*: (.+)$/, ([, , why]) => `This regular expression cannot be read: ${lower(why)}.`],
  [/^Missing initializer in const/i, 'A “const” needs its value at once: const name = value.'],
  [/^Expected corresponding JSX closing tag for [`'](.+?)[`']/, ([, tag]) => `This closes another tag than the one that is open: “</${tag}>” has to come first.`],
  [/^Expected corresponding closing tag for JSX fragment/, 'This fragment “<>” is not closed by “</>”.'],
  [/^(?:JSX expressions must have one parent|Adjacent JSX elements)/i, 'Several elements side by side need one around them: <>…</>.'],
  [/^Private (?:field|name) '?(#[^' ]+)'? must be declared/, ([, name]) => `The class around this declares no “${name}”.`],
  [/^Identifier directly after number/, 'A name cannot begin with a digit.'],
  [/^Undefined label '(.+)'|^Use of undefined label/, 'There is no such label around this.'],
  [/^Unexpected character '(.+)'/, ([, mark]) => `“${mark}” means nothing here.`],
  [/^Duplicate constructor/, 'A class has one constructor; this is another.'],
  [/^'?super'? keyword (?:outside|unexpected)|^'super' can only/, '“super” works only in a class that extends another.'],
  [/^Expected `(.+?)` but found `EOF`/, ([, mark]) => `The code ends, but a “${mark}” is still to come.`],
  [/^Expected `(.+?)` but found `(.+)`/, ([, wanted, found]) => `“${wanted}” is expected before “${found}”.`],
  [/^Expected a semicolon/i, 'A “;” or a new line is missing before this.'],
];

/** The sentence for what a parser says; undefined for what is not in the table. */
export function wordKnown(message: string): string | undefined {
  for (const [pattern, sentence] of rules) {
    const found = pattern.exec(message);
    if (found) return typeof sentence === 'string' ? sentence : sentence(found);
  }
  return undefined;
}

/** "`a` is 'taken'" → "“a” is “taken”", without the stop at its end. */
export function quoted(text: string): string {
  return text.replace(/`([^`]*)`|'([^']*)'/g, (_, a: string, b: string) => `“${a ?? b}”`).replace(/[.\s]+$/, '');
}

function lower(text = ''): string {
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '');
}
