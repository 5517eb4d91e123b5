/**
 * Explanations of uncaught errors, by what Chromium and Firefox say. A message that no row matches is shown as the browser
 * wrote it. `error-table.test.ts` provokes every pattern in both browsers.
 */
import { formatParserMessage, translateParserMessage } from '@vitrine/compiler';
import { findAssignedName, type ErrorContext } from './error-context.ts';
import {
  explainDestructuring,
  explainFailedImport,
  explainFailedRequest,
  explainNotCallable,
  explainNotConstructor,
  explainNotIterable,
  explainNullish,
  explainUndefinedName,
  type ErrorExplanation,
  type Groups,
} from './value-errors.ts';

export interface ErrorRow {
  /** Wordings that both browsers use. */
  both?: readonly RegExp[];
  chromium?: readonly RegExp[];
  firefox?: readonly RegExp[];
  /** The message, in which {name} stands for the pattern's group of that name; or what makes it. */
  explain: string | ((found: Groups, around: ErrorContext) => string | ErrorExplanation);
}

/** Specific errors. At most one of the rows matches a message, so their order doesn't matter. */
export const errorRows = {
  'undefined name': {
    both: [/^ReferenceError: (?<name>\S+) is not defined$/],
    firefox: [/^ReferenceError: assignment to undeclared variable (?<name>\S+)$/],
    explain: ({ name = '' }, around) => explainUndefinedName(name, around),
  },
  'use before initialization': {
    chromium: [/^ReferenceError: Cannot access '(?<name>.+)' before/],
    firefox: [/^ReferenceError: can't access lexical declaration '(?<name>.+)' before/],
    explain: '“{name}” is used before it’s initialized.',
  },
  'missing super call': {
    both: [/^ReferenceError: [Mm]ust call super constructor/],
    explain: 'A derived class must call “super()” before using “this”.',
  },
  'property of null or undefined': {
    chromium: [
      /^TypeError: Cannot (?<verb>read|set) properties of (?<value>undefined|null) \(\w+ '(?<name>.*)'\)/,
    ],
    firefox: [
      /^TypeError: can't access property "(?<name>.*?)"(?:, (?<expression>.+) is| of) (?<value>undefined|null)$/,
      /^TypeError: can't access property (?<name>\d+)(?:, (?<expression>.+) is| of) (?<value>undefined|null)$/,
    ],
    explain: explainNullish,
  },
  'destructuring null or undefined': {
    chromium: [
      /^TypeError: Cannot destructure (?:property '(?<name>.+)' of )?'(?<expression>.+)' as it is (?<value>undefined|null)/,
    ],
    firefox: [
      /^TypeError: \(destructured parameter\)(?:\.\S+)? is (?<value>undefined|null)$/,
      /^TypeError: (?<expression>(?!can't access |\(destructured).+) is (?<value>undefined|null)$/,
      /^TypeError: (?<value>undefined|null) has no properties$/,
    ],
    explain: explainDestructuring,
  },
  'not a function': {
    both: [/^TypeError: (?<callee>(?!Promise resolver ).+) is not a function$/],
    explain: ({ callee = '' }, around) => explainNotCallable(callee, around),
  },
  'promise without executor': {
    chromium: [/^TypeError: Promise resolver .* is not a function$/],
    explain: '“new Promise” needs a function: new Promise((resolve, reject) => { … }).',
  },
  'not iterable': {
    both: [/^TypeError: (?<value>.+) is not (?:async )?iterable/],
    firefox: [
      /^TypeError: can't access property Symbol\.iterator(?:, (?<expression>.+) is| of) (?<value>undefined|null)$/,
    ],
    explain: ({ expression, value = '' }, around) =>
      explainNotIterable(expression ?? value, around),
  },
  'spread of a value that isn’t iterable': {
    chromium: [/^TypeError: Spread syntax requires/],
    explain: 'The value after “...” isn’t iterable, so it can’t be spread.',
  },
  'not pairs': {
    chromium: [/^TypeError: Iterator value .+ is not an entry object/],
    firefox: [/^TypeError: iterable for .+ should have array-like objects/],
    explain: 'Expected an array of pairs: [[key, value], [key, value]].',
  },
  'extending a value that isn’t a class': {
    chromium: [
      /^TypeError: Super constructor .+ of .+ is not a constructor/,
      /^TypeError: Class extends value .* is not a constructor/,
    ],
    firefox: [
      /^TypeError: super is not a constructor/,
      /^TypeError: class heritage .* is not an object or null/,
    ],
    explain:
      'This class extends a value that isn’t a class. A circular import may have left it uninitialized.',
  },
  'not a constructor': {
    both: [/^TypeError: (?<callee>(?!Super constructor |super is).+) is not a constructor$/],
    explain: ({ callee = '' }, around) => explainNotConstructor(callee, around),
  },
  'class without new': {
    chromium: [/^TypeError: Class constructor(?:s| (?<name>\S+)) cannot be invoked without 'new'/],
    firefox: [/^TypeError: class constructors must be invoked with 'new'/],
    explain: ({ name: named }, { after }) => {
      const name = named ?? /^[\w$.]+(?=\s*\()/.exec(after)?.[0];
      return `${name === undefined ? 'A class' : `“${name}” is a class and`} must be called with “new”.`;
    },
  },
  'built-in class without new': {
    chromium: [
      /^TypeError: (?<name>\w+) constructor cannot be invoked without 'new'/,
      /^TypeError: Constructor (?<name>\w+) requires 'new'/,
      /^TypeError: Failed to construct '(?<name>\w+)': Please use the 'new' operator/,
    ],
    firefox: [
      /^TypeError: calling a builtin (?<name>[\w ]+) constructor without new/,
      /^TypeError: (?<name>\w+) constructor: 'new' is required/,
    ],
    explain: '“{name}” is a class and must be called with “new”.',
  },
  'assignment to a constant': {
    chromium: [/^TypeError: Assignment to constant variable/],
    firefox: [/^TypeError: invalid assignment to const '(?<name>.+)'/],
    explain: ({ name }, around) =>
      `Can’t assign to “${name ?? findAssignedName(around)}” because it’s a constant.`,
  },
  'null or undefined as an object': {
    chromium: [/^TypeError: Cannot convert undefined or null to object/],
    firefox: [/^TypeError: can't convert (?:undefined|null) to object/],
    explain: 'Expected an object but got undefined or null.',
  },
  'not an object': {
    chromium: [/^TypeError: .* called on non-object/],
    firefox: [
      /^TypeError: .* is not a non-null object/,
      /^TypeError: `\w+` argument of .+ must be an object/,
    ],
    explain: 'Expected an object.',
  },
  'reduce of an empty array': {
    both: [/^TypeError: [Rr]educe of empty array/],
    explain: '“reduce” of an empty array needs an initial value.',
  },
  'read-only property': {
    chromium: [/^TypeError: Cannot assign to read only property '(?<name>.+?)'/],
    firefox: [/^TypeError: "?(?<name>.+?)"? is read-only/],
    explain: '“{name}” is read-only.',
  },
  'adding a property to a frozen object': {
    chromium: [/^TypeError: Cannot (?:add|define) property (?<name>\S+), object is not extensible/],
    firefox: [/^TypeError: can't define property "(?<name>.+)": .* not extensible/],
    explain: 'Can’t add “{name}”: the object is frozen or sealed.',
  },
  'deleting a property of a frozen object': {
    chromium: [/^TypeError: Cannot delete property '(?<name>.+)' of/],
    firefox: [/^TypeError: property "(?<name>.+)" is non-configurable/],
    explain: 'Can’t delete “{name}”: the object is frozen or sealed.',
  },
  'property of a primitive': {
    chromium: [/^TypeError: Cannot create property '(?<name>.+)' on/],
    firefox: [/^TypeError: can't assign to property "(?<name>.+)" on/],
    explain: 'Can’t set “{name}” on a string, number, or boolean.',
  },
  'property with only a getter': {
    chromium: [/^TypeError: Cannot set property (?<name>\S+) of .* which has only a getter/],
    firefox: [/^TypeError: setting getter-only property "(?<name>.+)"/],
    explain: 'Can’t set “{name}”: it only has a getter.',
  },
  'private field of another class': {
    chromium: [
      /^TypeError: Cannot (?:read|write) private member (?<name>#\S+)/,
      /^TypeError: Receiver must be an instance of class/,
    ],
    firefox: [/^TypeError: can't (?:access|set) private field/],
    explain: ({ name }) =>
      `This object is of a different class and has no ${name ? `private field “${name}”` : 'such private field'}.`,
  },
  instanceof: {
    chromium: [/^TypeError: Right-hand side of 'instanceof'/],
    firefox: [/^TypeError: invalid 'instanceof' operand/],
    explain: 'The right-hand side of “instanceof” isn’t a class.',
  },
  in: {
    both: [/^TypeError: [Cc]annot use 'in' operator/],
    firefox: [/^TypeError: right-hand side of 'in'/],
    explain: 'The right-hand side of “in” isn’t an object.',
  },
  recursion: {
    chromium: [/^RangeError: Maximum call stack size exceeded/],
    firefox: [/^InternalError: too much recursion/],
    explain: 'Maximum call stack size exceeded: a function keeps calling itself.',
  },
  'loop guard': {
    both: [/^RangeError: This ran for a second without a pause/],
    explain:
      'Possible infinite loop: stopped after running for 1 second without a pause. To allow it, add // vitrine: no-guard to this file.',
  },
  'array length': {
    chromium: [
      /^RangeError: (?:Failed to set the 'length' property on 'Array': )?Invalid (?:typed )?array(?: buffer)? length/,
    ],
    firefox: [/^RangeError: invalid array length/],
    explain: 'Invalid array length.',
  },
  date: {
    chromium: [/^RangeError: Invalid time value/],
    firefox: [/^RangeError: invalid date/, /^RangeError: date value is not finite/],
    explain: 'Invalid date.',
  },
  'number of digits': {
    chromium: [/^RangeError: to(?:Fixed|Precision|Exponential|String)\(\)/],
    firefox: [/^RangeError: precision/, /^RangeError: radix/],
    explain: 'The number of digits or the radix is out of range.',
  },
  'negative repetition': {
    chromium: [/^RangeError: Invalid count value/],
    firefox: [/^RangeError: repeat count must be non-negative/],
    explain: 'A string can’t be repeated a negative or infinite number of times.',
  },
  'string length': {
    chromium: [/^RangeError: Invalid string length/],
    firefox: [/^RangeError: repeat count must be less/, /^InternalError: allocation size overflow/],
    explain: 'The string exceeds the browser’s maximum length.',
  },
  'language tag': {
    both: [/^RangeError: [Ii]nvalid language tag: "?(?<tag>[^"]*)"?$/],
    explain: '“{tag}” isn’t a valid language tag. Use one like “en” or “pt-BR”.',
  },
  'currency without a code': {
    chromium: [/^TypeError: Currency code is required/],
    firefox: [/^TypeError: undefined currency in NumberFormat/],
    explain: 'The currency style needs a currency code: { style: "currency", currency: "EUR" }.',
  },
  'HTML as JSON': {
    chromium: [
      /^SyntaxError: (?:Failed to execute 'json' .*?: )?Unexpected token '<', "\s*<.* is not valid JSON/s,
    ],
    explain: 'Expected JSON but got HTML. Check that the URL returns JSON.',
  },
  'incomplete JSON': {
    chromium: [
      /^SyntaxError: (?:Failed to execute 'json' .*?: )?Unexpected end of JSON/,
      /^SyntaxError: (?:Failed to execute 'json' .*?: )?Unterminated string in JSON/,
    ],
    firefox: [
      /^SyntaxError: JSON\.parse: .*end of data/,
      /^SyntaxError: JSON\.parse: unterminated string/,
    ],
    explain: 'Unexpected end of JSON.',
  },
  'undefined as JSON': {
    chromium: [/^SyntaxError: "undefined" is not valid JSON/],
    explain: '“undefined” isn’t valid JSON.',
  },
  // Firefox doesn't quote the text. An error at the first character mostly means that it isn't JSON at all.
  'not JSON': {
    firefox: [/^SyntaxError: JSON\.parse: unexpected character at line 1 column 1 /],
    explain: 'Invalid JSON, starting at the first character. It may be HTML or “undefined”.',
  },
  'circular JSON': {
    chromium: [/^TypeError: Converting circular structure to JSON/],
    firefox: [/^TypeError: cyclic object value/],
    explain: 'Can’t convert a circular structure to JSON.',
  },
  'BigInt from another value': {
    chromium: [
      /^RangeError: .* converted to a BigInt because/,
      /^SyntaxError: Cannot convert .* to a BigInt/,
    ],
    firefox: [/^RangeError: .* converted to BigInt because/, /^SyntaxError: invalid BigInt syntax/],
    explain: 'Only an integer can be converted to a BigInt.',
  },
  'BigInt and number': {
    chromium: [/^TypeError: Cannot mix BigInt/, /^TypeError: Cannot convert a BigInt value/],
    firefox: [/^TypeError: can't convert BigInt/],
    explain: 'Can’t mix BigInt and number. Convert one of them with Number() or BigInt().',
  },
  'symbol as a number': {
    chromium: [/^TypeError: Cannot convert a Symbol value to a number/],
    firefox: [/^TypeError: can't convert symbol to number/],
    explain: 'Can’t convert a symbol to a number.',
  },
  'symbol as a string': {
    chromium: [/^TypeError: Cannot convert a Symbol value to a string/],
    firefox: [/^TypeError: can't convert symbol to string/],
    explain: 'Can’t convert a symbol to a string implicitly. Use String(symbol).',
  },
  URI: {
    both: [/^URIError: /],
    explain: 'Malformed URI: it contains a stray “%” or half of a surrogate pair.',
  },
  'regular expression flag': {
    chromium: [/^SyntaxError: Invalid flags supplied to RegExp constructor '(?<flags>.*)'/],
    firefox: [/^SyntaxError: invalid regular expression flag (?<flags>.*)/],
    explain: 'Invalid regular expression flag “{flags}”.',
  },
  // The compiler's table explains Chromium's message, which also appears as a syntax error.
  'regular expression': {
    firefox: [
      /^SyntaxError: (?<why>unterminated (?:parenthetical|character class))/,
      /^SyntaxError: (?<why>nothing to repeat)/,
      /^SyntaxError: (?<why>numbers out of order in \{\} quantifier)/,
      /^SyntaxError: (?<why>invalid range in character class)/,
      /^SyntaxError: (?<why>invalid regexp group)/,
      /^SyntaxError: (?<why>.+) in regular expression/,
    ],
    explain: 'Invalid regular expression: {why}.',
  },
  'failed import()': {
    chromium: [/^TypeError: Failed to fetch dynamically imported module: (?<url>\S+)/],
    firefox: [/^TypeError: error loading dynamically imported module: (?<url>\S+)/],
    explain: ({ url = '' }) => explainFailedImport(url),
  },
  'failed request': {
    chromium: [/^TypeError: Failed to fetch$/],
    firefox: [/^TypeError: NetworkError when attempting to fetch/],
    explain: (_found, around) => explainFailedRequest(around),
  },
  'URL of a request': {
    chromium: [/^TypeError: Failed to execute 'fetch' on 'Window': Failed to parse/],
    firefox: [/^TypeError: Window\.fetch: .* is not a valid URL/],
    explain: '“fetch” needs a valid URL.',
  },
  URL: {
    chromium: [/^TypeError: Failed to construct 'URL': Invalid/],
    firefox: [/^TypeError: URL constructor: .* is not a valid URL/],
    explain: 'Invalid URL. Use an absolute URL or pass a base: new URL(url, location.href).',
  },
  'module specifier': {
    chromium: [/^TypeError: Failed to resolve module specifier ["'](?<specifier>.+?)["']/],
    firefox: [
      /^TypeError: The specifier “(?<specifier>.+?)”/,
      /^TypeError: Error resolving module specifier “(?<specifier>.+?)”/,
    ],
    explain:
      'Can’t resolve “{specifier}”. It isn’t an installed package, and relative paths start with “./”.',
  },
  'empty selector': {
    chromium: [/The provided selector is empty/],
    firefox: [/: '' is not a valid selector/],
    explain: 'The selector is empty.',
  },
  selector: {
    both: [/: '(?<selector>.+)' is not a valid selector/s],
    explain: '“{selector}” isn’t a valid selector.',
  },
  'not a node': {
    chromium: [/^TypeError: .* parameter \d is not of type 'Node'/],
    firefox: [
      /^TypeError: Node\.\w+: Argument \d is not an object/,
      /^TypeError: .* does not implement interface Node\b/,
    ],
    explain: 'Expected a DOM node, such as an element.',
  },
  'not a child': {
    both: [/^NotFoundError: .* is not a child of this node/],
    explain: 'The node to remove, replace, or insert before isn’t a child of this node.',
  },
  hierarchy: {
    both: [/^HierarchyRequestError: /],
    explain: 'An element can’t be inserted into itself or where the DOM doesn’t allow it.',
  },
  'class name with spaces': {
    both: [/^InvalidCharacterError: .*DOMTokenList/],
    explain: 'Class names can’t contain spaces. Pass each name separately.',
  },
  'empty class name': {
    both: [/^SyntaxError: .*DOMTokenList/],
    explain: 'Class names can’t be empty.',
  },
  'element name': {
    both: [/^InvalidCharacterError: .*createElement/],
    explain: 'Invalid element name.',
  },
  'attribute name': {
    both: [/^InvalidCharacterError: .*Attribute\b/],
    explain: 'Invalid attribute name.',
  },
  'custom element name': {
    both: [/^SyntaxError: .*["'](?<name>.*)["'] is not a valid custom element name/],
    explain: '“{name}” isn’t a valid custom element name. It needs a hyphen, as in “my-clock”.',
  },
  'custom element defined twice': {
    chromium: [/^NotSupportedError: .*"(?<name>.*)" has already been used with this registry/],
    firefox: [/^NotSupportedError: .*'(?<name>.*)' has already been defined as a custom element/],
    explain: 'The custom element “{name}” is already defined.',
  },
  'random values': {
    both: [/^QuotaExceededError: .*getRandomValues/],
    explain: 'getRandomValues() returns at most 65,536 bytes at once.',
  },
  'structured clone': {
    both: [/^DataCloneError: /],
    explain:
      'This value can’t be cloned. Functions, DOM nodes, and promises can’t be copied or sent.',
  },
  autoplay: {
    chromium: [/^NotAllowedError: play\(\)/],
    firefox: [/^NotAllowedError: The play method/],
    explain: 'Media can’t play until someone has interacted with the page.',
  },
  media: {
    chromium: [/^NotSupportedError: .*no supported source/],
    firefox: [/^NotSupportedError: The media resource/],
    explain: 'The media can’t be played. The file is missing, or its format isn’t supported.',
  },
  abort: {
    both: [/^AbortError: /],
    explain: 'The operation was aborted.',
  },
  timeout: {
    both: [/^TimeoutError: /],
    explain: 'The operation timed out.',
  },
  'service worker': {
    chromium: [/^\w+: Failed to register a ServiceWorker/],
    firefox: [/^TypeError: ServiceWorker script at .* encountered an error during installation/],
    explain: 'Projects can’t register service workers.',
  },
  'missing arguments': {
    chromium: [
      /^TypeError: Failed to (?:execute|construct) '(?<name>\w+)'.*?: (?<required>\d+) arguments? required, but only (?<given>\d+) present/,
    ],
    firefox: [
      /^TypeError: (?:\w+\.)?(?<name>\w+)(?: constructor)?: At least (?<required>\d+) arguments? required, but only (?<given>\d+) passed/,
    ],
    explain: ({ name, required, given }) =>
      `“${name}” requires ${required === '1' ? '1 argument' : `${required} arguments`}, but got ${given}.`,
  },
  'cross-origin script': {
    both: [/^Script error\.?$/],
    explain: 'A cross-origin script failed. The browser doesn’t report where.',
  },
} satisfies Record<string, ErrorRow>;

/** Groups of errors, for a message that no row of `errorRows` matches. The first match counts. */
export const genericRows = {
  JSON: {
    chromium: [/^SyntaxError: .* (?:is not valid JSON$|JSON at position \d)/s],
    firefox: [/^SyntaxError: JSON\.parse: /],
    explain:
      'Invalid JSON. Keys and strings need double quotes, and trailing commas aren’t allowed.',
  },
  'invalid character': {
    both: [/^InvalidCharacterError: /],
    explain: 'This contains an invalid character.',
  },
  'storage quota': {
    both: [/^QuotaExceededError: /],
    explain: 'The page’s storage quota has been exceeded.',
  },
  permission: {
    both: [/^NotAllowedError: /],
    explain:
      'The browser doesn’t allow this here, or only after someone has interacted with the page.',
  },
  security: {
    both: [/^SecurityError: /],
    explain: 'The browser doesn’t allow this here.',
  },
  'web API': {
    chromium: [
      /^\w+: Failed to (?:execute|construct|set the|read the) '(?<name>\w+)'[^:]*: (?<why>[\s\S]+)$/,
    ],
    firefox: [/^\w+Error: [A-Z]\w+\.(?<name>\w+): (?<why>[\s\S]+)$/],
    explain: ({ name, why = '' }) => `“${name}” failed: ${why.replace(/\.?\s*$/, '.')}`,
  },
  syntax: {
    both: [/^SyntaxError: (?<message>[\s\S]+)$/],
    explain: ({ message = '' }) =>
      translateParserMessage(message) ?? `Syntax error: ${formatParserMessage(message)}.`,
  },
} satisfies Record<string, ErrorRow>;

const rows: readonly ErrorRow[] = [...Object.values(errorRows), ...Object.values(genericRows)];

/** Explains an error: "TypeError: x is not a function" and the source around it → message and suggestion. */
export function explainError(message: string, around: ErrorContext): ErrorExplanation {
  for (const { both = [], chromium = [], firefox = [], explain } of rows)
    for (const pattern of [...both, ...chromium, ...firefox]) {
      const found = pattern.exec(message);
      if (!found) continue;
      const groups = found.groups ?? {};
      if (typeof explain === 'string')
        return { message: explain.replace(/\{(\w+)\}/g, (_, name: string) => groups[name] ?? '') };
      const explanation = explain(groups, around);
      return typeof explanation === 'string' ? { message: explanation } : explanation;
    }
  return { message: describeUnknown(message) };
}

/** Message for an error that no row matches: "Error: No birds" → "No birds", "“boom”" → "“boom” was thrown." */
function describeUnknown(thrown: string): string {
  const [, name = '', message = ''] = /^([\p{L}_$][\w$.]*): ?([\s\S]*)$/u.exec(thrown) ?? [];
  if (name === '') return `${thrown === '' ? 'An empty value' : thrown} was thrown.`;
  if (message === '') return `“${name}” was thrown without a message.`;
  return name === 'Error' ? message : thrown;
}
