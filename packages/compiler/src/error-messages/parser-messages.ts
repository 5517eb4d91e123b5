/** Translations of syntax error messages of acorn, oxc and browsers. */
import { curlCodeQuotes } from '@vitrine/project';

type Translate = (found: RegExpExecArray, token: string) => string;
type Translation = readonly [pattern: RegExp, message: string | Translate];

const unterminatedTemplate = 'Unterminated template literal: missing “`”.';
const invalidName = 'Names can’t start with a digit.';
export const unaryBeforePower = 'A negative base of “**” needs parentheses: (-a) ** b.';
const missingFunctionName = 'Function declarations need a name.';

/** Patterns of original messages, and their translations. */
const translations: readonly Translation[] = [
  [
    /^Unterminated string/,
    (_, token) =>
      token === '`' ? unterminatedTemplate : 'Unterminated string: missing closing quote.',
  ],
  [/^Unterminated template/, unterminatedTemplate],
  [/^Unterminated (?:multi-?line )?comment/, 'Unterminated comment: missing “*/”.'],
  [/^Unterminated reg/, 'Unterminated regular expression: missing “/”.'],
  [
    /^Identifier ['`](.+)['`] has already been declared/,
    ([, name]) => `“${name}” is already declared.`,
  ],
  [
    /^Assigning to rvalue|^Cannot assign to this expression|^Invalid left-hand side in (?:assignment|expression)/,
    'Can’t assign to this expression. To compare, use “===”.',
  ],
  [
    /^'return' outside of function|^A 'return' statement can only/,
    '“return” can only be used inside a function.',
  ],
  [
    /^'import' and 'export' may appear only with|^Cannot use import statement outside|^import declarations may only appear at top level of a module/,
    '“import” and “export” only work in modules. Use <script type="module">.',
  ],
  [
    /^'import' and 'export' may only appear at the top|^Modifiers cannot appear|^'?(?:import|export)'? (?:declarations?|statements?) .*top/i,
    '“import” and “export” can only be used at the top level of a module.',
  ],
  [
    /keyword 'await' outside an async|^`?await`? is only allowed/i,
    '“await” can only be used in an “async” function or at the top level of a module.',
  ],
  [
    /^Unexpected keyword '(.+)'|^The keyword '(.+)' is reserved|^Identifier expected\. [`'](.+)[`'] is a reserved/,
    ([, a, b, c]) => `“${a ?? b ?? c}” is a reserved word and can’t be used as a name.`,
  ],
  [
    /^(?:Unsyntactic|Illegal) (break|continue)/,
    ([, word]) => `“${word}” can only be used inside a loop.`,
  ],
  [
    /^(?:Missing|Expected) (?:a )?`?catch`? or `?finally`?/i,
    '“try” needs a “catch” or “finally” block.',
  ],
  [
    /^Duplicate export '(.+)'|^Duplicated export '(.+)'/,
    ([, a, b]) => `“${a ?? b}” is exported twice.`,
  ],
  [
    /^Export '(.+)' is not defined|^local binding for export '(.+)' not found/,
    ([, a, b]) => `“${a ?? b}” is exported but not defined.`,
  ],
  [
    /^Invalid regular expression: \/(.*)\/\w*: (.+)$/,
    ([, , why]) => `Invalid regular expression: ${toLowerCaseStart(why)}.`,
  ],
  [/^Missing initializer in const/i, '“const” needs an initial value: const name = value.'],
  [
    /^Expected corresponding JSX closing tag for [`'](.+?)[`']/,
    ([, tag]) => `Mismatched closing tag. Expected “</${tag}>”.`,
  ],
  [
    /^Expected corresponding closing tag for JSX fragment/,
    'This fragment “<>” is missing its closing “</>”.',
  ],
  [
    /^(?:JSX expressions must have one parent|Adjacent JSX elements)/i,
    'Adjacent JSX elements need a parent. Wrap them in <>…</>.',
  ],
  [
    /^Private (?:field|name) '?(#[^' ]+)'? must be declared/,
    ([, name]) => `Private name “${name}” isn’t declared in this class.`,
  ],
  [/^Identifier directly after number|^Invalid characters after number/, invalidName],
  [/^Expected function name|^Function statements require a function name/, missingFunctionName],
  [
    /^(?:Bad character|Invalid(?: Unicode)?) escape sequence|^Code point out of bounds|^Expecting Unicode escape/,
    'Invalid escape sequence after “\\”.',
  ],
  [
    /^Optional chaining cannot appear in the tag|^Tagged template expressions are not permitted/,
    'Tagged templates can’t be used with “?.”.',
  ],
  [
    /^Optional chaining cannot appear|^Invalid left-hand side in assignment/,
    'Can’t assign to an optional chain (“?.”).',
  ],
  [/^Unexpected end of input/, 'Unexpected end of code.'],
  [/^Undefined label '(.+)'|^Use of undefined label/, 'Undefined label.'],
  [
    /^Unexpected character '[“”„‘’]'|^Invalid Character `[“”„‘’]`/i,
    'Curly quotes can’t be used for strings. Use straight quotes, " or \'.',
  ],
  [/^Unexpected character '(.+)'/, ([, mark]) => `Unexpected character “${mark}”.`],
  [/^Duplicate constructor|^Multiple constructor/, 'A class can only have one constructor.'],
  [
    /^Super calls are not|^super\(\) call|^'?super'? keyword (?:outside|unexpected)|^'super' can only/,
    '“super” can only be used in a class that extends another.',
  ],
  [
    /^Expected `(.+?)` but found `EOF`/,
    ([, mark]) => `Unexpected end of code: expected “${mark}”.`,
  ],
  [
    /^Expected `([^`]+)`(?: or `([^`]+)`)? but found `(.+)`/,
    ([, a, b, found], token) =>
      `Expected ${b === undefined ? `“${a}”` : `“${a}” or “${b}”`} before “${token || found}”.`,
  ],
  [/^Expected a semicolon/i, 'Missing “;” or line break.'],
  [
    /^Logical expressions and coalesce expressions cannot be mixed/,
    '“??” can’t be mixed with “||” or “&&” without parentheses.',
  ],
  [/^A unary expression with the/, unaryBeforePower],
  [/^getter should have no params|^A 'get' accessor must not/, 'A getter can’t have parameters.'],
  [
    /^setter should have exactly one|^A 'set' accessor must/,
    'A setter must have exactly one parameter.',
  ],
  [
    /^Multiple default clauses|^A 'default' clause cannot appear more than once/,
    'A “switch” can only have one “default”.',
  ],
  [/new\.target/, '“new.target” can only be used inside a function or class.'],
  [/^A 'yield' expression/, '“yield” can only be used in a generator: function* name() { … }.'],
  [/^let is disallowed as/, '“let” is a reserved word and can’t be used as a name.'],
  [
    /^Deleting local variable|^Delete of an unqualified/,
    '“delete” only works on object properties, not variables.',
  ],
  [
    /^Label [`'](.+)[`'] (?:is already|has already been) declared/,
    ([, name]) => `Label “${name}” is already declared.`,
  ],
  [/^Illegal newline after '?throw/, 'The value after “throw” must start on the same line.'],
  [
    /^Unexpected token\. Did you mean `\{'([>}])'\}`/,
    ([, sign]) => `Unexpected “${sign}” in JSX text. Use {'${sign}'} instead.`,
  ],
  [
    /^A parameter cannot have a question mark/,
    'A parameter with a default value can’t be optional (“?”).',
  ],
  [/^missing \) after argument list/, 'Missing “)” after function arguments.'],
];

/** Translates a parser's message about a token; undefined if it isn't in the table. */
export function translateParserMessage(message: string, token = ''): string | undefined {
  for (const [pattern, translation] of translations) {
    const found = pattern.exec(message);
    if (found) return typeof translation === 'string' ? translation : translation(found, token);
  }
  return undefined;
}

/** "`a` is 'taken'." → "“a” is “taken”", without the period at the end. */
export function formatParserMessage(text: string): string {
  return curlCodeQuotes(text).replace(/[.\s]+$/, '');
}

function toLowerCaseStart(text = ''): string {
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '');
}
