/**
 * What Chromium and Firefox say of an uncaught error, in plain words. Each rule knows the wording of
 * both; what no rule knows is told in the browser's own.
 */
import { declaredNames, findNear, quoted, wordKnown } from '@vitrine/compiler';

/** The place of an error in a file of the project; texts are '' where it is not known. */
export interface Around {
  /** Text of the file. */
  text: string;
  /** The line, up to the place and from it on. */
  before: string;
  after: string;
}

export interface Said {
  sentence: string;
  /** A name that stands at the place, and the one that was meant. */
  meant?: { name: string; by: string };
}

type Found = RegExpExecArray;
type Rule = readonly [pattern: RegExp, say: (found: Found, around: Around) => string | Said];

/** "TypeError: x is not a function" and where it happened → what to tell. */
export function wordThrown(words: string, around: Around): Said {
  for (const [pattern, say] of rules) {
    const found = pattern.exec(words);
    if (!found) continue;
    const said = say(found, around);
    return typeof said === 'string' ? { sentence: said } : said;
  }
  return { sentence: wordOwn(words) };
}

/** What no rule knows: "Error: No birds" → "No birds", "boom" → "Thrown: “boom”." */
function wordOwn(words: string): string {
  const [, name = '', message = ''] = /^([\p{L}_$][\w$.]*): ?([\s\S]*)$/u.exec(words) ?? [];
  if (name === '')
    return words === '' ? 'Something was thrown that says nothing.' : `Thrown: ${words}.`;
  if (message === '') return `${name} was thrown without a message.`;
  return name === 'Error' ? message : words;
}

const rules: readonly Rule[] = [
  [
    /^ReferenceError: (\S+) is not defined$/,
    ([, name = ''], around) => wordUndefined(name, around),
  ],
  [
    /^ReferenceError: (?:Cannot access '(.+)' before|can't access lexical declaration '(.+)' before)/,
    ([, a, b]) => `“${a ?? b}” is used before the line that declares it has run.`,
  ],
  [
    /^TypeError: Cannot (read|set) properties of (undefined|null) \((?:reading|setting) '(.*)'\)/,
    ([, verb, value = '', name = ''], around) =>
      wordEmpty(expressionBefore(around, verb === 'set'), value, name, verb === 'set', around),
  ],
  [
    /^TypeError: can't access property (?:"(.*)"|(\S+)), (.+) is (undefined|null)$/,
    ([, a, b, expression, value = ''], around) =>
      wordEmpty(expression, value, a ?? b ?? '', isAssigned(around), around),
  ],
  [
    /^TypeError: Cannot destructure property '(.+)' of '(.+)' as it is (undefined|null)/,
    ([, name = '', expression, value = '']) =>
      `“${plainExpression(expression)}” is ${value}, so “${name}” cannot be taken out of it.`,
  ],
  [
    /^TypeError: (?:\((?:destructured|destructuring)[^)]*\) is|(.+) is) (undefined|null)$/,
    ([, expression, value = '']) =>
      `${subject(expression === undefined ? undefined : plainExpression(expression))} is ${value} here.`,
  ],
  [
    /^TypeError: (.+) is not a function$/,
    ([, called = ''], around) => wordNoFunction(called, around),
  ],
  [
    /^TypeError: (.+) is not (?:async )?iterable/,
    ([, value = '']) =>
      `${subject(plainExpression(value))} cannot be gone through one by one: it is no array or the like.`,
  ],
  [
    /^TypeError: (?:Spread syntax requires|.*is not a non-null object|Object is not iterable)/,
    () => 'What stands behind “...” cannot be spread: it is no array or the like.',
  ],
  [
    /^TypeError: (.+) is not a constructor$/,
    ([, name = '']) => `“${plainExpression(name)}” is no class, so “new” cannot make one.`,
  ],
  [
    /^TypeError: (?:Class constructor (\S+) cannot be invoked without 'new'|class constructors must be invoked with 'new')/,
    ([, name]) =>
      `${name === undefined ? 'A class' : `“${name}” is a class: it`} has to be called with “new”.`,
  ],
  [
    /^TypeError: (?:Assignment to constant variable|invalid assignment to const '(.+)')/,
    ([, name], { before, after }) =>
      `“${name ?? assignedName(before, after)}” is a “const”, so it cannot be given another value.`,
  ],
  [
    /^(?:RangeError: Maximum call stack size exceeded|InternalError: too much recursion)/,
    () => 'A function calls itself, or others that call it, without an end.',
  ],
  [
    /^RangeError: This ran for a second without a pause/,
    () =>
      'This ran for a second without a pause, and was stopped: it may never end. Where it is meant to, write // vitrine: no-guard in this file.',
  ],
  [/^RangeError: [Ii]nvalid array length/, () => 'An array cannot have this length.'],
  [/^RangeError: (?:Invalid time value|invalid date)/, () => 'This date is no date that exists.'],
  [
    /^RangeError: (?:toFixed\(\)|toPrecision\(\)|toString\(\)|precision|radix)/,
    () => 'The number of digits, or the base, is out of range.',
  ],
  [
    /^RangeError: .*(?:repeat count|Invalid count value)/,
    () => 'A text cannot be repeated a negative or endless number of times.',
  ],
  [
    /^SyntaxError: (?:Unexpected (?:token|end|non-whitespace|string)[\s\S]* JSON|JSON\.parse: |Unexpected end of JSON|"undefined" is not valid JSON|Expected [\s\S]* in JSON|Bad [\s\S]* in JSON|Unterminated [\s\S]* in JSON)/,
    ({ input }) => wordJson(input),
  ],
  [
    /^TypeError: (?:Converting circular structure to JSON|cyclic object value)/,
    () => 'This object holds itself somewhere, so it cannot become JSON.',
  ],
  [
    /^TypeError: (?:Cannot mix BigInt|can't convert BigInt)/,
    () => 'A BigInt (1n) and a number cannot be reckoned with together: convert one of them.',
  ],
  [
    /^TypeError: (?:Cannot convert undefined or null to object|can't convert (?:undefined|null) to object)/,
    () => 'An object is expected here, and this is undefined or null.',
  ],
  [
    /^TypeError: [Rr]educe of empty array/,
    () => '“reduce” on an empty array needs a value to begin with.',
  ],
  [
    /^TypeError: (?:Cannot assign to read only property '(.+?)'|"?(.+?)"? is read-only)/,
    ([, a, b]) => `“${a ?? b}” can only be read.`,
  ],
  [
    /^TypeError: (?:Cannot add property (\S+), object is not extensible|can't define property "(.+)": .* not extensible)/,
    ([, a, b]) => `“${a ?? b}” cannot be added: this object is frozen or sealed.`,
  ],
  [
    /^TypeError: (?:Cannot set property (\S+) of .* which has only a getter|setting getter-only property "(.+)")/,
    ([, a, b]) => `“${a ?? b}” has only a getter, so it cannot be set.`,
  ],
  [
    /^TypeError: (?:Right-hand side of 'instanceof'|invalid 'instanceof' operand)/,
    () => 'What stands right of “instanceof” is no class.',
  ],
  [
    /^TypeError: (?:Cannot use 'in' operator|cannot use 'in' operator|right-hand side of 'in')/,
    () => 'What stands right of “in” is no object.',
  ],
  [
    /^TypeError: (?:Failed to fetch dynamically imported module|error loading dynamically imported module): (\S+)/,
    ([, address = '']) =>
      `${lastOf(address)} could not be imported: it is not there, or something that it imports is not.`,
  ],
  [
    /^TypeError: (?:Failed to fetch$|NetworkError when attempting to fetch|Load failed)/,
    (_, around) => wordNoAnswer(around),
  ],
  [
    /^TypeError: (?:Failed to execute 'fetch'|Window\.fetch: )/,
    () => 'This is no address that “fetch” can ask for.',
  ],
  [
    /^TypeError: (?:Failed to resolve module specifier "(.+?)"|The specifier “(.+?)”)/,
    ([, a, b]) =>
      `“${a ?? b}” is no package of this project, and no path: a path begins with “./”.`,
  ],
  [/'([^']*)' is not a valid selector/, ([, selector]) => `“${selector}” is no selector.`],
  [
    /(?:appendChild|insertBefore|append|replaceChild|Node\.\w+)\W[\s\S]*(?:parameter 1 is not of type 'Node'|Argument 1 is not an object|does not implement interface Node)/,
    () => 'Only an element or another node can be put into the page here, and this is none.',
  ],
  [
    /^NotFoundError: [\s\S]*(?:removeChild|insertBefore|replaceChild|child of this node)/,
    () => 'This node is not a child of the one that it is to be taken from, or put into.',
  ],
  [
    /^HierarchyRequestError: /,
    () => 'An element cannot be put into itself, or where the page does not allow it.',
  ],
  [/^InvalidCharacterError: /, () => 'This name has a character that it must not have.'],
  [/^QuotaExceededError: /, () => 'There is no room left for this in the page’s storage.'],
  [
    /^NotAllowedError: (?:play\(\)|The play method)/,
    () => 'Sound plays only once somebody has clicked in the page.',
  ],
  [/^AbortError: /, () => 'This was called off before it was done.'],
  [/^SecurityError: /, () => 'The browser does not allow this here.'],
  [
    /^SyntaxError: ([\s\S]+)$/,
    ([, message = '']) => wordKnown(message) ?? `This cannot be read as code: ${quoted(message)}.`,
  ],
  [
    /^(?:Uncaught )?Script error\.?$/,
    () => 'A script of another host failed. The browser does not say where.',
  ],
];

const nodeNames: Readonly<Record<string, string>> = {
  require: 'write “import name from "package"”',
  module: 'write “export”',
  exports: 'write “export”',
  process: 'a browser has no such thing',
  Buffer: 'use “Uint8Array”',
  global: 'write “globalThis”',
  __dirname: 'use “import.meta.url”',
  __filename: 'use “import.meta.url”',
};

function wordUndefined(name: string, { text }: Around): Said {
  const advice = Object.hasOwn(nodeNames, name) ? nodeNames[name] : undefined;
  if (advice !== undefined)
    return { sentence: `“${name}” is there in Node, not in a browser: ${advice}.` };
  const by = findNear(name, declaredNames(text)) ?? findNear(name, globalNames());
  if (by === undefined) return { sentence: `“${name}” is not defined.` };
  return { sentence: `“${name}” is not defined. Did you mean “${by}”?`, meant: { name, by } };
}

/** Names that every page has, and that people write. */
function globalNames(): string[] {
  return Object.getOwnPropertyNames(globalThis).filter((name) =>
    /^[a-z]{3,}|^[A-Z][a-z]/.test(name),
  );
}

function wordEmpty(
  expression: string | undefined,
  value: string,
  name: string,
  isSet: boolean,
  { text }: Around,
): string {
  const why = value === 'null' && expression !== undefined ? whyNull(expression, text) : undefined;
  const what = isSet ? `its “${name}” cannot be set` : `it has no “${name}”`;
  return `${subject(expression)} is ${value}${why === undefined ? '' : `, since ${why}`}: ${what}.`;
}

/** "button" in a text with "button = document.querySelector('#go')" → "nothing in the page matches “#go”" */
function whyNull(expression: string, text: string): string | undefined {
  const own = lookup.exec(expression) ?? lookup.exec(soleValue(expression, text) ?? '');
  if (!own) return undefined;
  const [, method, wanted = ''] = own;
  return method === 'getElementById'
    ? `nothing in the page had the id “${wanted}” by then`
    : `nothing in the page matched “${wanted}” by then`;
}

const lookup = /\b(getElementById|querySelector)\(\s*["'`]([^"'`]*)["'`]\s*\)$/;

/** What a name is given where it is given something once only. */
function soleValue(name: string, text: string): string | undefined {
  if (!/^[\w$]+$/.test(name)) return undefined;
  const given = [...text.matchAll(/([\w$]+)\s*=\s*(\w+\.\w+\(\s*["'`][^"'`]*["'`]\s*\))/g)];
  const values = given.filter(([, to]) => to === name);
  return values.length === 1 ? values[0]?.[2] : undefined;
}

function wordNoFunction(called: string, around: Around): string | Said {
  const name = /[\w$]+$/.exec(plainExpression(called))?.[0] ?? '';
  const shown = called.includes('(intermediate value)') ? name : plainExpression(called);
  const by = /\.\s*[\w$]+$/.test(called) ? findNear(name, methodNames()) : undefined;
  if (by === undefined) {
    const isParted = /\)\s*$/.test(called) || shown === '';
    return isParted && around.before.trim() === ''
      ? 'What this calls is no function. Perhaps a “;” is missing at the end of the line before.'
      : `“${shown}” is not a function.`;
  }
  return {
    sentence: `“${shown}” is not a function. Did you mean “${by}”?`,
    meant: { name, by },
  };
}

/** Of pages, elements, lists and texts: what people call most. */
function methodNames(): string[] {
  const holders: object[] = [Array, String, Promise, Map, Set].map(
    (made): object => made.prototype,
  );
  if (typeof document !== 'undefined')
    holders.push(Document.prototype, Element.prototype, Node.prototype, EventTarget.prototype);
  return [...holders, console, JSON, Math, Object].flatMap((holder) =>
    Object.getOwnPropertyNames(holder),
  );
}

function wordJson(words: string): string {
  const start = /"((?:[^"\\]|\\.)*)"(?:\.\.\.)? is not valid JSON$/.exec(words)?.[1] ?? '';
  if (/^\s*<|^<!doctype/i.test(start) || /Unexpected token '?</.test(words))
    return 'This was to be JSON and is HTML: the address it came from has no JSON.';
  if (/end of (?:JSON|data)|Unexpected end/.test(words))
    return 'This was to be JSON and ends too early.';
  if (/"?undefined"? is not valid JSON/.test(words)) return '“undefined” was to be read as JSON.';
  return 'This was to be JSON and is not: names and texts need double quotes, and no comma stands before “}” or “]”.';
}

function wordNoAnswer({ before, after }: Around): string {
  const address = /https?:\/\/[^\s"'`)]+/.exec(before.slice(-200) + after)?.[0];
  const host = address === undefined ? undefined : hostOf(address);
  return host === undefined
    ? 'A request got no answer: its host is out of reach, or does not let other pages read it (CORS).'
    : `${host} gave no answer: it is out of reach, or does not let other pages read it (CORS).`;
}

/** Chromium's place is that of the “=”, or of the name. */
function assignedName(before: string, after: string): string {
  return /^[\w$]+/.exec(after)?.[0] ?? /[\w$]+(?=\s*$)/.exec(before)?.[0] ?? 'This';
}

function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).host : undefined;
}

/** "(intermediate value).map" → "map" */
function plainExpression(text = ''): string {
  return text
    .replace(/\(intermediate value\)(?:\(intermediate value\))*\.?/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function subject(expression: string | undefined): string {
  return expression === undefined || expression === '' ? 'Something here' : `“${expression}”`;
}

const part = String.raw`(?:!?\s*\??\.\s*#?[\w$]+|\[[^[\]]*\]|\((?:[^()]|\([^()]*\))*\))`;
const chain = new RegExp(String.raw`([\p{ID_Start}$_][\w$]*${part}*!?)\s*(?:\??\.\s*|\[\s*)$`, 'u');

/**
 * "user.address" where the place is that of `city` in `user.address.city`, or, where that is set, of
 * the “=” behind it.
 */
function expressionBefore({ before }: Around, isSet: boolean): string | undefined {
  const upTo = isSet ? before.replace(/\.\s*#?[\w$]+\s*$|\[[^[\]]*\]\s*$/, '.') : before;
  return chain.exec(upTo)?.[1]?.replace(/\s+/g, ' ').replaceAll('!', '');
}

function isAssigned({ after }: Around): boolean {
  return /^[\w$.[\]]*\s*=(?!=)/.test(after);
}

function lastOf(address: string): string {
  return decodeURI(/[^/]*$/.exec(address.replace(/[?#].*$/, ''))?.[0] ?? address);
}
