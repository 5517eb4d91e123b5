/** Messages for errors about values of the wrong type: not a function, not iterable, undefined. */
import { findDeclaredNames, findClosestName } from '@vitrine/compiler';
import { findExpressionType } from './expression-type.ts';
import {
  findAssignedName,
  findObjectExpression,
  isPropertyAssigned,
  isObjectLiteral,
  normalizeExpression,
  quoteExpression,
  findDestructuredName,
  explainNull,
  type ErrorContext,
} from './error-context.ts';
import type { ErrorRule, ErrorExplanation } from './error-messages.ts';

export const valueErrorRules: readonly ErrorRule[] = [
  [
    /^ReferenceError: (?:assignment to undeclared variable (\S+)|(\S+) is not defined)$/,
    ([, a, b = ''], around) => explainUndefined(a ?? b, around),
  ],
  [
    /^ReferenceError: (?:Cannot access '(.+)' before|can't access lexical declaration '(.+)' before)/,
    ([, a, b]) => `“${a ?? b}” is used before it’s initialized.`,
  ],
  [
    /^ReferenceError: [Mm]ust call super constructor/,
    () => 'A derived class must call “super()” before using “this”.',
  ],
  [
    /^TypeError: can't access property Symbol\.iterator(?:, (.+) is| of) (undefined|null)$/,
    ([, expression, value = ''], around) => explainNotIterable(expression ?? value, around),
  ],
  [
    /^TypeError: Cannot (read|set) properties of (undefined|null) \((?:reading|setting) '(.*)'\)/,
    ([, verb, value = '', name = ''], around) =>
      explainNullish(
        findObjectExpression(around, verb === 'set'),
        value,
        name,
        verb === 'set',
        around,
      ),
  ],
  [
    /^TypeError: can't access property (?:"(.*?)"|([^\s,]+))(?:, (.+) is| of) (undefined|null)$/,
    ([, a, b, expression, value = ''], around) => {
      const name = a ?? b ?? '';
      const written =
        expression === undefined ? undefined : normalizeExpression(expression, around);
      return explainNullish(written, value, name, isPropertyAssigned(name, around), around);
    },
  ],
  [
    /^TypeError: Cannot destructure property '(.+)' of '(.+)' as it is (undefined|null)/,
    ([, name, expression = '', value = ''], around) =>
      explainDestructuring(expression === value ? undefined : expression, value, name, around),
  ],
  [
    /^TypeError: (?:\(destructured parameter\)(?:\.\S+)?|(.+)) is (undefined|null)$/,
    ([, expression, value = ''], around) =>
      explainDestructuring(expression, value, findDestructuredName(around), around),
  ],
  [
    /^TypeError: Promise resolver .* is not a function$/,
    () => '“new Promise” needs a function: new Promise((resolve, reject) => { … }).',
  ],
  [
    /^TypeError: (.+) is not a function$/,
    ([, callee = ''], around) => explainNotCallable(callee, around),
  ],
  [
    /^TypeError: (?:Spread syntax requires|Object is not iterable)/,
    () => 'The value after “...” isn’t iterable, so it can’t be spread.',
  ],
  [
    /^TypeError: (.+) is not (?:async )?iterable/,
    ([, value = ''], around) => explainNotIterable(value, around),
  ],
  [
    /^TypeError: (?:Iterator value (.+) is not an entry object|iterable for .+ should have array-like objects)/,
    () => 'Expected an array of pairs: [[key, value], [key, value]].',
  ],
  [
    /^TypeError: (?:Super constructor .+ of .+ is not a constructor|super is not a constructor|Class extends value .* is not a constructor|class heritage .* is not an object or null)/,
    () =>
      'This class extends a value that isn’t a class. A circular import may have left it uninitialized.',
  ],
  [
    /^TypeError: (.+) is not a constructor$/,
    ([, name = ''], around) =>
      `${quoteExpression(normalizeExpression(name, around))} isn’t a constructor.`,
  ],
  [
    /^TypeError: (?:Class constructor (\S+) cannot be invoked without 'new'|class constructors must be invoked with 'new')/,
    ([, named], { after }) => {
      const name = named ?? /^[\w$.]+(?=\s*\()/.exec(after)?.[0];
      return `${name === undefined ? 'A class' : `“${name}” is a class and`} must be called with “new”.`;
    },
  ],
  [
    /^TypeError: (?:(\w+) constructor cannot be invoked without|Constructor (\w+) requires|calling a builtin (\w+) constructor without new)/,
    ([, a, b, c]) => `“${a ?? b ?? c}” is a class and must be called with “new”.`,
  ],
  [
    /^TypeError: (?:Assignment to constant variable|invalid assignment to const '(.+)')/,
    ([, name], around) =>
      `Can’t assign to “${name ?? findAssignedName(around)}” because it’s a constant.`,
  ],
  [
    /^TypeError: (?:Cannot convert undefined or null to object|can't convert (?:undefined|null) to object)/,
    () => 'Expected an object but got undefined or null.',
  ],
  [
    /^TypeError: (?:.* called on non-object|.* is not a non-null object)/,
    () => 'Expected an object.',
  ],
  [
    /^TypeError: [Rr]educe of empty array/,
    () => '“reduce” of an empty array needs an initial value.',
  ],
  [
    /^TypeError: (?:Cannot assign to read only property '(.+?)'|"?(.+?)"? is read-only)/,
    ([, a, b]) => `“${a ?? b}” is read-only.`,
  ],
  [
    /^TypeError: (?:Cannot add property (\S+), object is not extensible|can't define property "(.+)": .* not extensible)/,
    ([, a, b]) => `Can’t add “${a ?? b}”: the object is frozen or sealed.`,
  ],
  [
    /^TypeError: (?:Cannot delete property '(.+)' of|property "(.+)" is non-configurable)/,
    ([, a, b]) => `Can’t delete “${a ?? b}”: the object is frozen or sealed.`,
  ],
  [
    /^TypeError: (?:Cannot create property '(.+)' on|can't assign to property "(.+)" on)/,
    ([, a, b]) => `Can’t set “${a ?? b}” on a string, number, or boolean.`,
  ],
  [
    /^TypeError: (?:Cannot set property (\S+) of .* which has only a getter|setting getter-only property "(.+)")/,
    ([, a, b]) => `Can’t set “${a ?? b}”: it only has a getter.`,
  ],
  [
    /^TypeError: (?:Cannot (?:read|write)[^#]*(#\S+)|can't access private field)/,
    ([, name]) =>
      `This object is of a different class and has no ${name ? `private field “${name}”` : 'such private field'}.`,
  ],
  [
    /^TypeError: (?:Right-hand side of 'instanceof'|invalid 'instanceof' operand)/,
    () => 'The right-hand side of “instanceof” isn’t a class.',
  ],
  [
    /^TypeError: (?:[Cc]annot use 'in' operator|right-hand side of 'in')/,
    () => 'The right-hand side of “in” isn’t an object.',
  ],
];

const nodeGlobals: Readonly<Record<string, string>> = {
  require: 'Use “import name from "package"” instead',
  module: 'Use “export” instead',
  exports: 'Use “export” instead',
  process: 'Browsers have no equivalent',
  Buffer: 'Use “Uint8Array” instead',
  global: 'Use “globalThis” instead',
  __dirname: 'Use “import.meta.url” instead',
  __filename: 'Use “import.meta.url” instead',
};

function explainUndefined(name: string, { text }: ErrorContext): ErrorExplanation {
  const hint = Object.hasOwn(nodeGlobals, name) ? nodeGlobals[name] : undefined;
  if (hint !== undefined) return { sentence: `“${name}” is only available in Node.js. ${hint}.` };
  const by = findClosestName(name, findDeclaredNames(text)) ?? findClosestName(name, globalNames());
  if (by === undefined) return { sentence: `“${name}” is not defined.` };
  return { sentence: `“${name}” is not defined. Did you mean “${by}”?`, suggestion: { name, by } };
}

/** Names of globals that users commonly write. */
function globalNames(): string[] {
  return Object.getOwnPropertyNames(globalThis).filter((name) =>
    /^[a-z]{3,}|^[A-Z][a-z]/.test(name),
  );
}

function explainNullish(
  expression: string | undefined,
  value: string,
  name: string,
  isSet: boolean,
  around: ErrorContext,
): string {
  const why =
    value === 'null' && expression !== undefined ? explainNull(expression, around) : undefined;
  const owner = isUnknown(expression) ? value : `${quoteExpression(expression)}, which is ${value}`;
  return `Can’t ${isSet ? 'set' : 'read'} “${name}” of ${owner}${why === undefined ? '' : `: ${why}`}.`;
}

function explainDestructuring(
  expression: string | undefined,
  value: string,
  name: string | undefined,
  around: ErrorContext,
): string {
  const shown = expression === undefined ? undefined : normalizeExpression(expression, around);
  const owner = isUnknown(shown) ? value : `${quoteExpression(shown)}, which is ${value}`;
  return `Can’t destructure ${name === undefined ? '' : `“${name}” of `}${owner}.`;
}

function isUnknown(expression: string | undefined): boolean {
  return expression === undefined || expression === '';
}
function explainNotIterable(value: string, around: ErrorContext): string {
  const shown = normalizeExpression(value, around);
  return isObjectLiteral(shown)
    ? 'Objects aren’t iterable. Use Object.entries(…) to loop over one.'
    : `${quoteExpression(shown)} isn’t iterable.`;
}

function explainNotCallable(callee: string, around: ErrorContext): string | ErrorExplanation {
  if (/\bimport\.meta\.(?:glob\b|$)/.test(around.before) && callee.endsWith('.glob'))
    return '“import.meta.glob” is only available in Vite. Import each file by name.';
  const shown = callee.includes('(intermediate value)')
    ? (/[\w$]+$/.exec(callee)?.[0] ?? '')
    : normalizeExpression(callee, around);
  const method = explainMissingMethod(shown, around);
  if (method) return method;
  const semicolon = explainMissingSemicolon(shown, around);
  if (semicolon !== undefined) return semicolon;
  return isObjectLiteral(shown) || shown === ''
    ? 'Expected a function.'
    : `“${shown}” is not a function.`;
}

/**
 * A missing semicolon: in `const b = a` followed by a line that begins with `(`, the second line calls
 * `a`. Chromium reports the first line, Firefox the second.
 */
function explainMissingSemicolon(
  callee: string,
  { before, after, above, below }: ErrorContext,
): string | undefined {
  if (callee === '') return undefined;
  if (after.trim() === callee && /^\s*\(/.test(below))
    return `The “(” on the next line calls “${callee}”, which isn’t a function. Add “;” at the end of this line.`;
  if (before.trim() === '' && after.startsWith('(') && above.trimEnd().endsWith(callee))
    return `The “(” on this line calls “${callee}”, which isn’t a function. Add “;” at the end of the previous line.`;
  return undefined;
}

/** A missing method: suggests a similar name of the type, or how to convert the value to an array. */
function explainMissingMethod(
  shown: string,
  { text, before }: ErrorContext,
): ErrorExplanation | undefined {
  const [, expression = '', name = ''] = /^(.+?)\??\.\s*([\w$]+)$/s.exec(shown) ?? [];
  const type = expression === '' ? undefined : findExpressionType(expression, text);
  if (!type) return undefined;
  const by = findClosestName(name, type.members);
  if (by !== undefined)
    return {
      sentence: `“${shown}” is not a function. Did you mean “${by}”?`,
      suggestion: { name, by },
    };
  const isArrayMethod = name in Array.prototype && type.name !== 'Array';
  const written = findInSource(expression, before);
  const start = before.lastIndexOf(written);
  const meant = (array: string) => ({
    name: written,
    by: array,
    ...(start !== -1 && { column: start + 1 }),
  });
  if (type.name === 'Promise')
    return { sentence: `A promise has no “${name}”. Use “await” to get its value first.` };
  if (isArrayMethod && type.name === 'Object')
    return { sentence: `An object has no “${name}”. Use Object.values(…) or Object.entries(…).` };
  if (isArrayMethod && type.name === 'String')
    return {
      sentence: `A string has no “${name}”. Use [...text] or “split” to get an array first.`,
      suggestion: meant(`[...${written}]`),
    };
  if (isArrayMethod && iterables.has(type.name))
    return {
      sentence: `${type.name.startsWith('H') ? 'An' : 'A'} ${type.name} has no “${name}”. Use Array.from(…) or [...list] to get an array first.`,
      suggestion: meant(`Array.from(${written})`),
    };
  return undefined;
}

/** A string literal with the quotes that the source has; browsers report 'a' as "a". */
function findInSource(expression: string, before: string): string {
  const [, text] = /^"(.*)"$/s.exec(expression) ?? [];
  const forms = text === undefined ? [] : [`'${text}'`, `\`${text}\``];
  return forms.find((form) => before.includes(form)) ?? expression;
}

/** Iterable classes without array methods. */
const iterables: ReadonlySet<string> = new Set(
  'DOMTokenList FileList HTMLCollection Map NamedNodeMap NodeList Set'.split(' '),
);
