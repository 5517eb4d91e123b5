/**
 * Guesses the type of an expression from its text alone: a literal, the result of a well-known method, or
 * a global object. Member names come from this browser's own classes.
 */
import { findDeclaredNames } from '@vitrine/compiler';

interface ExpressionType {
  /** Name of the class or global object: "NodeList", "document". */
  readonly name: string;
  /** Names of own and inherited members; empty if this browser has no such class. */
  readonly members: ReadonlySet<string>;
}

/** Class of an expression by its ending. The first match counts. */
const endings: readonly (readonly [RegExp, string])[] = [
  [/^(["'`]).*\1$/s, 'String'],
  [/^\[.*\]$/s, 'Array'],
  [/^\d[\d._]*$/, 'Number'],
  [/^\{.*\}$/s, 'Object'],
  [/^\/.+\/\w*$/, 'RegExp'],
  [/^fetch\(.*\)$/s, 'Promise'],
  [/^Array\.(?:from|of)\(.*\)$|^Object\.(?:keys|values|entries)\(.*\)$/s, 'Array'],
  [/\.(?:map|filter|flatMap|toSorted|toReversed|split|matchAll)\(.*\)$/s, 'Array'],
  [/^(?:String|JSON\.stringify)\(.*\)$/s, 'String'],
  [/\.(?:textContent|innerHTML|innerText|className|id|nodeName|tagName)$/, 'String'],
  [/\.(?:join|trim|toUpperCase|toLowerCase|replace|replaceAll|padStart|toFixed)\(.*\)$/s, 'String'],
  [/\.(?:querySelectorAll|getElementsByName)\(.*\)$|\.childNodes$/s, 'NodeList'],
  [/\.getElementsBy(?:ClassName|TagName|TagNameNS)\(.*\)$/s, 'HTMLCollection'],
  [/\.(?:children|forms|images|links|scripts|selectedOptions)$/, 'HTMLCollection'],
  [/\.(?:querySelector|closest|getElementById|createElement)\(.*\)$/s, 'HTMLElement'],
  [/^document\.(?:body|head|documentElement|activeElement)$/, 'HTMLElement'],
  [/\.classList$/, 'DOMTokenList'],
  [/\.files$/, 'FileList'],
  [/\.attributes$/, 'NamedNodeMap'],
  [/\.getContext\(["'`]2d["'`].*\)$/s, 'CanvasRenderingContext2D'],
];

/** Global objects whose methods are commonly called. */
const globalObjects: ReadonlySet<string> = new Set(
  `Array CSS Date Intl JSON Map Math Number Object Promise Reflect String Symbol console crypto
  customElements document history localStorage location navigator performance screen sessionStorage
  window`.split(/\s+/),
);

/** Finds the type of an expression in a file's `text`; undefined if unknown. */
export function findExpressionType(expression: string, text: string): ExpressionType | undefined {
  const isIdentifier = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(expression);
  if (!isIdentifier) return typeOfWritten(expression.replace(/^(?:window|globalThis)\./, ''));
  const value = soleValue(expression, text);
  if (value !== undefined) return typeOfWritten(value) ?? typeOfGlobal(value);
  return findDeclaredNames(text).has(expression) ? undefined : typeOfGlobal(expression);
}

function typeOfWritten(expression: string): ExpressionType | undefined {
  const constructorName = /^new\s+([A-Z]\w*)\s*(?:\(|$)/.exec(expression)?.[1];
  const name = constructorName ?? endings.find(([ending]) => ending.test(expression))?.[1];
  if (name === undefined) return typeOfGlobal(expression);
  const known: unknown = Reflect.get(globalThis, name);
  const prototype: unknown = typeof known === 'function' ? known.prototype : undefined;
  // Classes that the project declares aren't analyzed.
  if (constructorName !== undefined && prototype === undefined) return undefined;
  return { name, members: membersOf(prototype) };
}

function typeOfGlobal(name: string): ExpressionType | undefined {
  if (!globalObjects.has(name)) return undefined;
  return { name, members: membersOf(Reflect.get(globalThis, name)) };
}

function membersOf(value: unknown): Set<string> {
  const members = new Set<string>();
  let holder: unknown = value;
  while ((typeof holder === 'object' && holder !== null) || typeof holder === 'function') {
    for (const name of Object.getOwnPropertyNames(holder)) members.add(name);
    holder = Object.getPrototypeOf(holder);
  }
  return members;
}

/** Value of a variable that is assigned exactly once: "items" in "const items = [1];" → "[1]" */
function soleValue(name: string, text: string): string | undefined {
  const written = name.replaceAll('$', String.raw`\$`);
  const pattern = String.raw`(?<![\w$.])(?:(const|let|var)\s+)?${written}\s*(?::[^=;\n]+)?=(?![=>])\s*`;
  const assignments = [...text.matchAll(new RegExp(pattern, 'g'))];
  const [only] = assignments;
  if (!only || assignments.length > 1 || only[1] === undefined) return undefined;
  return firstExpression(text.slice(only.index + only[0].length, only.index + 2_000));
}

/** First expression of a text, up to the end of its line or statement: "[1, 2]; f()" → "[1, 2]" */
function firstExpression(text: string): string {
  let depth = 0;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (quote !== '') {
      if (character === '\\') at += 1;
      else if (character === quote) quote = '';
    } else if (/["'`]/.test(character)) quote = character;
    else if (/[([{]/.test(character)) depth += 1;
    else if (/[)\]}]/.test(character)) depth -= 1;
    if (depth < 0 || (depth === 0 && quote === '' && /[;,\n]/.test(character)))
      return text.slice(0, at).trim();
  }
  return text.trim();
}
