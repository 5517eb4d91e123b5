/** What parsers say of a text that does not parse, sentence by sentence. */
import { quoteCode } from '@vitrine/project';

type Say = (found: RegExpExecArray, token: string) => string;
type Rule = readonly [pattern: RegExp, sentence: string | Say];

const openTemplate = 'This template has no “`” at its end.';
const noName = 'A name cannot begin with a digit.';
export const signBeforePower =
  'What stands left of “**” has a sign before it, and needs parentheses: (-a) ** b.';
const noFunctionName = 'This function needs a name.';

/** What acorn, oxc and browsers say, and what is said here. */
const rules: readonly Rule[] = [
  [
    /^Unterminated string/,
    (_, token) => (token === '`' ? openTemplate : 'This text in quotes has no quote at its end.'),
  ],
  [/^Unterminated template/, openTemplate],
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
    /^'import' and 'export' may appear only with|^Cannot use import statement outside|^import declarations may only appear at top level of a module/,
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
  [
    /^Unexpected keyword '(.+)'|^The keyword '(.+)' is reserved|^Identifier expected\. [`'](.+)[`'] is a reserved/,
    ([, a, b, c]) => `“${a ?? b ?? c}” is a word of the language, and no name.`,
  ],
  [
    /^(?:Unsyntactic|Illegal) (break|continue)/,
    ([, word]) => `“${word}” works only inside a loop.`,
  ],
  [
    /^(?:Missing|Expected) (?:a )?`?catch`? or `?finally`?/i,
    '“try” needs a “catch” or a “finally” behind it.',
  ],
  [
    /^Duplicate export '(.+)'|^Duplicated export '(.+)'/,
    ([, a, b]) => `“${a ?? b}” is exported twice.`,
  ],
  [
    /^Export '(.+)' is not defined|^local binding for export '(.+)' not found/,
    ([, a, b]) => `“${a ?? b}” is exported, and nothing here has that name.`,
  ],
  [
    /^Invalid regular expression: \/(.*)\/\w*: (.+)$/,
    ([, , why]) => `This regular expression cannot be read: ${lower(why)}.`,
  ],
  [/^Missing initializer in const/i, 'A “const” needs its value at once: const name = value.'],
  [
    /^Expected corresponding JSX closing tag for [`'](.+?)[`']/,
    ([, tag]) =>
      `This closes another tag than the one that is open: “</${tag}>” has to come first.`,
  ],
  [
    /^Expected corresponding closing tag for JSX fragment/,
    'This fragment “<>” is not closed by “</>”.',
  ],
  [
    /^(?:JSX expressions must have one parent|Adjacent JSX elements)/i,
    'Several elements side by side need one around them: <>…</>.',
  ],
  [
    /^Private (?:field|name) '?(#[^' ]+)'? must be declared/,
    ([, name]) => `The class around this declares no “${name}”.`,
  ],
  [/^Identifier directly after number|^Invalid characters after number/, noName],
  [/^Expected function name|^Function statements require a function name/, noFunctionName],
  [
    /^(?:Bad character|Invalid(?: Unicode)?) escape sequence|^Code point out of bounds|^Expecting Unicode escape/,
    'This “\\” begins no character that there is.',
  ],
  [
    /^Optional chaining cannot appear in the tag|^Tagged template expressions are not permitted/,
    'A template with a tag cannot stand behind “?.”.',
  ],
  [
    /^Optional chaining cannot appear|^Invalid left-hand side in assignment/,
    '“?.” only reads: nothing can be assigned there.',
  ],
  [/^Unexpected end of input/, 'The code ends too early.'],
  [/^Undefined label '(.+)'|^Use of undefined label/, 'There is no such label around this.'],
  [
    /^Unexpected character '[“”„‘’]'|^Invalid Character `[“”„‘’]`/i,
    'Curly quotes are none of the language: texts stand in straight ones, " or \'.',
  ],
  [/^Unexpected character '(.+)'/, ([, mark]) => `“${mark}” means nothing here.`],
  [/^Duplicate constructor|^Multiple constructor/, 'A class has one constructor; this is another.'],
  [
    /^Super calls are not|^super\(\) call|^'?super'? keyword (?:outside|unexpected)|^'super' can only/,
    '“super” works only in a class that extends another.',
  ],
  [
    /^Expected `(.+?)` but found `EOF`/,
    ([, mark]) => `The code ends, but a “${mark}” is still to come.`,
  ],
  [
    /^Expected `([^`]+)`(?: or `([^`]+)`)? but found `(.+)`/,
    ([, a, b, found], token) =>
      `${b === undefined ? `“${a}”` : `“${a}” or “${b}”`} is expected before “${token || found}”.`,
  ],
  [/^Expected a semicolon/i, 'A “;” or a new line is missing here.'],
  [
    /^Logical expressions and coalesce expressions cannot be mixed/,
    '“??” does not mix with “||” or “&&”: put one of them in parentheses.',
  ],
  [/^A unary expression with the/, signBeforePower],
  [/^getter should have no params|^A 'get' accessor must not/, 'A getter takes no parameters.'],
  [
    /^setter should have exactly one|^A 'set' accessor must/,
    'A setter takes exactly one parameter.',
  ],
  [
    /^Multiple default clauses|^A 'default' clause cannot appear more than once/,
    'A “switch” has one “default”; this is another.',
  ],
  [/new\.target/, '“new.target” works only inside a function or a class.'],
  [/^A 'yield' expression/, '“yield” works only in a generator: function* name() { … }.'],
  [/^let is disallowed as/, '“let” is a word of the language, and no name.'],
  [
    /^Deleting local variable|^Delete of an unqualified/,
    '“delete” takes away a property of an object, and no name.',
  ],
  [
    /^Label [`'](.+)[`'] (?:is already|has already been) declared/,
    ([, name]) => `There is a label “${name}” around this already.`,
  ],
  [/^Illegal newline after '?throw/, 'What “throw” throws has to begin in the same line.'],
  [
    /^Unexpected token\. Did you mean `\{'([>}])'\}`/,
    ([, sign]) => `A “${sign}” in the text of JSX is written {"${sign}"}.`,
  ],
  [/^A parameter cannot have a question mark/, 'A parameter with a value needs no “?”.'],
  [/^missing \) after argument list/, 'A “)” is missing behind what the function is called with.'],
];

/** The sentence for what a parser says of a token; undefined for what is not in the table. */
export function wordKnown(message: string, token = ''): string | undefined {
  for (const [pattern, sentence] of rules) {
    const found = pattern.exec(message);
    if (found) return typeof sentence === 'string' ? sentence : sentence(found, token);
  }
  return undefined;
}

/** "`a` is 'taken'" → "“a” is “taken”", without the stop at its end. */
export function quoted(text: string): string {
  return quoteCode(text).replace(/[.\s]+$/, '');
}

function lower(text = ''): string {
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '');
}
