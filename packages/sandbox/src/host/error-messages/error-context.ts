/** Source text around an error, and the expression that the error is about. */

/** Location of an error within a project file; all texts are '' if it is unknown. */
export interface ErrorContext {
  /** Text of the file. */
  text: string;
  /** The error's line before and after its column. */
  before: string;
  after: string;
  /** The previous and the next line. */
  above: string;
  below: string;
}

export function readErrorContext(
  text: string,
  { line, column }: { line: number; column: number },
): ErrorContext {
  const lines = line > 0 ? text.split('\n') : [];
  const errorLine = lines[line - 1] ?? '';
  const at = Math.max(0, column - 1);
  return {
    text,
    before: errorLine.slice(0, at),
    after: errorLine.slice(at),
    above: lines[line - 2] ?? '',
    below: lines[line] ?? '',
  };
}

/** "“user.address”", or "A value" if the expression is unknown. */
export function quoteExpression(expression: string | undefined): string {
  return expression === undefined || expression === '' ? 'A value' : `“${expression}”`;
}

/**
 * An expression from a browser's message as the source has it: "(intermediate value).map" → "map",
 * "number 5" → "5"; Firefox: "document.querySelector(...)" → "document.querySelector('#go')"
 */
export function normalizeExpression(text: string, around: ErrorContext): string {
  const plain = text
    .replace(/^(?:number|string|boolean|symbol|object|undefined) (?=\S)/, '')
    .replace(/\(intermediate value\)(?:\(intermediate value\))*\.?/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return plain.includes('(...)') ? (findWritten(plain, around) ?? plain) : plain;
}

function findWritten(expression: string, { before, after }: ErrorContext): string | undefined {
  const parts = expression.split('(...)').map(escape);
  const pattern = new RegExp(parts.join(String.raw`\((?:[^()]|\([^()]*\))*\)`));
  return pattern.exec(before + after)?.[0];
}

/** Whether a browser shows an object literal: "{}", "({a:1})". */
export function isObjectLiteral(text: string): boolean {
  return /^(?:\(?\{.*\}\)?|#<Object>|object)$/.test(text.trim());
}

const part = String.raw`(?:!?\s*\??\.\s*#?[\w$]+|\[[^[\]]*\]|\((?:[^()]|\([^()]*\))*\))`;
const chain = new RegExp(String.raw`([\p{ID_Start}$_][\w$]*${part}*!?)\s*(?:\??\.\s*|\[\s*)$`, 'u');

/**
 * The object of a property access: "user.address" if the error is at `city` in `user.address.city`, or, with
 * `isSet`, at the “=” after it.
 */
export function findObjectExpression(
  { before, after }: ErrorContext,
  isSet: boolean,
): string | undefined {
  const upTo = isSet
    ? before.replace(/\.\s*#?[\w$]+\s*$|\[[^[\]]*\]\s*$/, '.')
    : before + (after.startsWith('[') ? '[' : '');
  return chain.exec(upTo)?.[1]?.replace(/\s+/g, ' ').replaceAll('!', '');
}

/** Whether the property at the error's location is being assigned. */
export function isPropertyAssigned(name: string, { after }: ErrorContext): boolean {
  const written = String.raw`(?:\.\s*${escape(name)}|\[[^\]]*\])`;
  return new RegExp(String.raw`${written}\s*=(?![=>])`).test(after);
}

/** The variable that is assigned. Chromium reports the location of the “=” or of the name. */
export function findAssignedName({ before, after }: ErrorContext): string {
  return /^[\w$]+/.exec(after)?.[0] ?? /[\w$]+(?=\s*$)/.exec(before)?.[0] ?? 'This';
}

/** The first name that is destructured at the location: `size` in `{ size, color } = …`. */
export function findDestructuredName({ before, after }: ErrorContext): string | undefined {
  const found = /\{\s*([\w$]+)[^{}=]*\}\s*=\s*$/.exec(before) ?? /^\{\s*([\w$]+)/.exec(after);
  return found?.[1];
}

/** Why an expression is null: for "button" in "button = document.querySelector('#go')", "no element matched “#go” at that point" */
export function explainNull(expression: string, { text }: ErrorContext): string | undefined {
  const found = lookup.exec(expression) ?? lookup.exec(findOnlyValue(expression, text) ?? '');
  if (!found) return undefined;
  const [, method, selector = ''] = found;
  return method === 'getElementById'
    ? `no element had the id “${selector}” at that point`
    : `no element matched “${selector}” at that point`;
}

const lookup = /\b(getElementById|querySelector)\(\s*["'`]([^"'`]*)["'`]\s*\)$/;

/** Value of a variable that is assigned a DOM lookup exactly once. */
function findOnlyValue(name: string, text: string): string | undefined {
  if (!/^[\w$]+$/.test(name)) return undefined;
  const assignments = [...text.matchAll(/([\w$]+)\s*=\s*(\w+\.\w+\(\s*["'`][^"'`]*["'`]\s*\))/g)];
  const values = assignments.filter(([, to]) => to === name);
  return values.length === 1 ? values[0]?.[2] : undefined;
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
