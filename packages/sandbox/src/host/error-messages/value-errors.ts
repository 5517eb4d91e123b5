/** Explanations that depend on the source around an error: undefined names, missing methods, failed requests. */
import { findDeclaredNames, findClosestName } from '@vitrine/compiler';
import { findExpressionType } from './expression-type.ts';
import {
  findObjectExpression,
  isPropertyAssigned,
  isObjectLiteral,
  normalizeExpression,
  quoteExpression,
  findDestructuredName,
  explainNull,
  type ErrorContext,
} from './error-context.ts';

export interface ErrorExplanation {
  message: string;
  /** Suggested replacement for the text at the error's location, or at a column of its line. */
  suggestion?: { name: string; by: string; column?: number };
}

/** Named groups of a pattern. */
export type Groups = Readonly<Partial<Record<string, string>>>;

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

export function explainUndefinedName(name: string, { text }: ErrorContext): ErrorExplanation {
  const hint = Object.hasOwn(nodeGlobals, name) ? nodeGlobals[name] : undefined;
  if (hint !== undefined) return { message: `“${name}” is only available in Node.js. ${hint}.` };
  const by = findClosestName(name, findDeclaredNames(text)) ?? findClosestName(name, globalNames());
  if (by === undefined) return { message: `“${name}” is not defined.` };
  return { message: `“${name}” is not defined. Did you mean “${by}”?`, suggestion: { name, by } };
}

/** Names of globals that users commonly write. */
function globalNames(): string[] {
  return Object.getOwnPropertyNames(globalThis).filter((name) =>
    /^[a-z]{3,}|^[A-Z][a-z]/.test(name),
  );
}

/** Explains reading or setting a property of null or undefined. Chromium says which (`verb`), Firefox of what (`expression`). */
export function explainNullish(
  { verb, expression, value = '', name = '' }: Groups,
  around: ErrorContext,
): string {
  const isSet = verb === undefined ? isPropertyAssigned(name, around) : verb === 'set';
  const object =
    verb === undefined
      ? expression && normalizeExpression(expression, around)
      : findObjectExpression(around, isSet);
  const why = value === 'null' && object ? explainNull(object, around) : undefined;
  const verbs = isSet ? 'set' : 'read';
  return `Can’t ${verbs} “${name}” of ${describeOwner(object, value)}${why === undefined ? '' : `: ${why}`}.`;
}

/** Explains destructuring null or undefined. Only Chromium says which name is missing. */
export function explainDestructuring(
  { name: said, expression, value = '' }: Groups,
  around: ErrorContext,
): string {
  const name = said ?? findDestructuredName(around);
  const object =
    expression === undefined || expression === value
      ? undefined
      : normalizeExpression(expression, around);
  return `Can’t destructure ${name === undefined ? '' : `“${name}” of `}${describeOwner(object, value)}.`;
}

/** "“user”, which is null", or "null" if the expression is unknown. */
function describeOwner(expression: string | undefined, value: string): string {
  return expression ? `${quoteExpression(expression)}, which is ${value}` : value;
}

export function explainNotConstructor(callee: string, around: ErrorContext): string {
  return `${quoteExpression(normalizeExpression(callee, around))} isn’t a constructor.`;
}

export function explainNotIterable(value: string, around: ErrorContext): string {
  const shown = normalizeExpression(value, around);
  return isObjectLiteral(shown)
    ? 'Objects aren’t iterable. Use Object.entries(…) to loop over one.'
    : `${quoteExpression(shown)} isn’t iterable.`;
}

export function explainNotCallable(
  callee: string,
  around: ErrorContext,
): string | ErrorExplanation {
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
      message: `“${shown}” is not a function. Did you mean “${by}”?`,
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
    return { message: `A promise has no “${name}”. Use “await” to get its value first.` };
  if (isArrayMethod && type.name === 'Object')
    return { message: `An object has no “${name}”. Use Object.values(…) or Object.entries(…).` };
  if (isArrayMethod && type.name === 'String')
    return {
      message: `A string has no “${name}”. Use [...text] or “split” to get an array first.`,
      suggestion: meant(`[...${written}]`),
    };
  if (isArrayMethod && iterables.has(type.name))
    return {
      message: `${type.name.startsWith('H') ? 'An' : 'A'} ${type.name} has no “${name}”. Use Array.from(…) or [...list] to get an array first.`,
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

/** Explains a failed `import()` of this URL. */
export function explainFailedImport(url: string): string {
  const name = decodeURI(/[^/]*$/.exec(url.replace(/[?#].*$/, ''))?.[0] ?? url);
  return navigator.onLine
    ? `${name} failed to load: the file or one of its imports is missing.`
    : `${name} failed to load: you’re offline.`;
}

/** Explains a failed request to the URL that the source has at the error's location. */
export function explainFailedRequest({ before, after }: ErrorContext): string {
  const url = /https?:\/\/[^\s"'`)]+/.exec(before.slice(-200) + after)?.[0];
  const request = url && URL.canParse(url) ? `The request to ${new URL(url).host}` : 'A request';
  return `${request} failed: the host is unreachable or doesn’t allow cross-origin requests (CORS).`;
}
