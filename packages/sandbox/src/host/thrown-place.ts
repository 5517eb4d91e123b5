/** What the source says around the place of an error: which expression it was about. */

/** The place of an error in a file of the project; texts are '' where it is not known. */
export interface Around {
  /** Text of the file. */
  text: string;
  /** The line, up to the place and from it on. */
  before: string;
  after: string;
  /** The lines next to it. */
  above: string;
  below: string;
}

export function aroundPlace(
  text: string,
  { line, column }: { line: number; column: number },
): Around {
  const lines = line > 0 ? text.split('\n') : [];
  const whole = lines[line - 1] ?? '';
  const at = Math.max(0, column - 1);
  return {
    text,
    before: whole.slice(0, at),
    after: whole.slice(at),
    above: lines[line - 2] ?? '',
    below: lines[line] ?? '',
  };
}

/** "“user.address”", or what stands for what cannot be told. */
export function subject(expression: string | undefined): string {
  return expression === undefined || expression === '' ? 'A value' : `“${expression}”`;
}

/**
 * The expression that a browser names, as it is written: "(intermediate value).map" → "map",
 * "number 5" → "5", Firefox' "document.querySelector(...)" → "document.querySelector('#go')"
 */
export function plainExpression(text: string, around: Around): string {
  const plain = text
    .replace(/^(?:number|string|boolean|symbol|object|undefined) (?=\S)/, '')
    .replace(/\(intermediate value\)(?:\(intermediate value\))*\.?/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return plain.includes('(...)') ? (findWritten(plain, around) ?? plain) : plain;
}

function findWritten(expression: string, { before, after }: Around): string | undefined {
  const parts = expression.split('(...)').map(escape);
  const pattern = new RegExp(parts.join(String.raw`\((?:[^()]|\([^()]*\))*\)`));
  return pattern.exec(before + after)?.[0];
}

/** "{}" and "({a:1})": what a browser shows of an object that has no name. */
export function isObjectText(text: string): boolean {
  return /^(?:\(?\{.*\}\)?|#<Object>|object)$/.test(text.trim());
}

const part = String.raw`(?:!?\s*\??\.\s*#?[\w$]+|\[[^[\]]*\]|\((?:[^()]|\([^()]*\))*\))`;
const chain = new RegExp(String.raw`([\p{ID_Start}$_][\w$]*${part}*!?)\s*(?:\??\.\s*|\[\s*)$`, 'u');

/**
 * "user.address" where the place is that of `city` in `user.address.city`, or, where that is set, of
 * the “=” behind it.
 */
export function expressionBefore({ before }: Around, isSet: boolean): string | undefined {
  const upTo = isSet ? before.replace(/\.\s*#?[\w$]+\s*$|\[[^[\]]*\]\s*$/, '.') : before;
  return chain.exec(upTo)?.[1]?.replace(/\s+/g, ' ').replaceAll('!', '');
}

/** Whether a property is given a value behind the place. */
export function isAssigned(name: string, { after }: Around): boolean {
  const written = String.raw`(?:\.\s*${escape(name)}|\[[^\]]*\])`;
  return new RegExp(String.raw`${written}\s*=(?![=>])`).test(after);
}

/** The name that is given another value: Chromium's place is that of the “=”, or of the name. */
export function assignedName({ before, after }: Around): string {
  return /^[\w$]+/.exec(after)?.[0] ?? /[\w$]+(?=\s*$)/.exec(before)?.[0] ?? 'This';
}

/** The first name that is taken out of what stands at the place: `size` of `{ size, color } = …`. */
export function takenName({ before, after }: Around): string | undefined {
  const found = /\{\s*([\w$]+)[^{}=]*\}\s*=\s*$/.exec(before) ?? /^\{\s*([\w$]+)/.exec(after);
  return found?.[1];
}

/** Why an expression is null: "button" of "button = document.querySelector('#go')" → "no element matched “#go” at that point" */
export function whyNull(expression: string, { text }: Around): string | undefined {
  const own = lookup.exec(expression) ?? lookup.exec(soleValue(expression, text) ?? '');
  if (!own) return undefined;
  const [, method, wanted = ''] = own;
  return method === 'getElementById'
    ? `no element had the id “${wanted}” at that point`
    : `no element matched “${wanted}” at that point`;
}

const lookup = /\b(getElementById|querySelector)\(\s*["'`]([^"'`]*)["'`]\s*\)$/;

/** What a name is given where it is given something once only. */
function soleValue(name: string, text: string): string | undefined {
  if (!/^[\w$]+$/.test(name)) return undefined;
  const given = [...text.matchAll(/([\w$]+)\s*=\s*(\w+\.\w+\(\s*["'`][^"'`]*["'`]\s*\))/g)];
  const values = given.filter(([, to]) => to === name);
  return values.length === 1 ? values[0]?.[2] : undefined;
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
