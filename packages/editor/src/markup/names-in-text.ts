import { blank, findBraceEnds } from './blank.ts';

/** What styles and markup of a project share by its name. */
export interface Name {
  readonly kind: 'class' | 'id' | 'property';
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Where it is made: a class by its rule, an id by its element, a custom property by its declaration. */
  readonly isSource: boolean;
  /** Of a custom property, where it is made. */
  readonly value?: string;
}

const identifier = String.raw`-?[_a-zA-Z\u0080-\uffff][\w\u0080-\uffff-]*`;
const inSelector = new RegExp(`([.#])(${identifier})`, 'g');
const classWord = /[^\s"'`{}<>$]+/g;
const listMethods = /\bclassList\s*\.\s*(?:add|remove|toggle|contains|replace)\s*\(([^()]*)\)/g;
const query = /\b(?:querySelector(?:All)?|closest|matches)\s*\(\s*(["'`])(.*?)\1/g;
const byId = /\bgetElementById\s*\(\s*(["'`])(.*?)\1/g;
/** Attributes whose values are ids of the page. */
const idAttributes =
  'for|htmlFor|list|form|headers|popovertarget|commandfor|aria-(?:labelledby|describedby|controls|owns|details|errormessage|flowto|activedescendant)';
const idReference = new RegExp(
  String.raw`(?<![\w-])(?:${idAttributes})\s*=\s*(["'])([^"'{}]*)\1`,
  'gi',
);
const isIdAttribute = new RegExp(`^(?:${idAttributes})$`, 'i');

/** True for an attribute that names other elements by their ids. */
export function namesIds(attribute: string): boolean {
  return isIdAttribute.test(attribute);
}

/** Of styles, in any of their dialects. */
export function findNamesInStyles(text: string): Name[] {
  const plain = hideText(text);
  const names: Name[] = [];
  for (const { 0: part, index } of plain.matchAll(/[^;{}]*[;{}]|[^;{}]+$/g)) {
    if (part.endsWith('{')) names.push(...findInPrelude(part, index));
    else names.push(...findDeclared(part, index, text));
  }
  for (const { 1: name = '', 0: all, index } of plain.matchAll(/var\(\s*(--[\w\u0080-\uffff-]+)/g))
    names.push({
      kind: 'property',
      name,
      ...spanAt(index + all.length - name.length, name),
      isSource: false,
    });
  return names;
}

/** Of markup without its styles and scripts, or of a script with markup in it. */
export function findNamesInMarkup(text: string): Name[] {
  const names: Name[] = [];
  const attributes = /(?<![\w:-])((?:v-bind)?:)?(class(?:Name)?|id)\s*=\s*(["'])([\s\S]*?)\3/g;
  for (const { 0: all, 1: bound, 2: attribute, 4: value = '', index } of text.matchAll(
    attributes,
  )) {
    const from = index + all.length - 1 - value.length;
    if (attribute === 'id') names.push(...(bound ? [] : findId(value, from)));
    else if (bound) names.push(...findInExpression(value, from));
    else names.push(...findClasses(hideBraces(value), from));
  }
  const ends = findBraceEnds(text);
  let end = 0;
  for (const { 0: all, index } of text.matchAll(/(?<![\w-])class(?:Name)?\s*=\s*(?=\{)/g)) {
    const from = index + all.length;
    if (from < end) continue;
    end = ends.get(from) ?? from;
    names.push(...findInExpression(text.slice(from, end), from));
  }
  // Svelte's class:name.
  for (const { 1: name = '', index } of text.matchAll(/\sclass:([\w-]+)/g))
    names.push({ kind: 'class', name, ...spanAt(index + ' class:'.length, name), isSource: false });
  for (const { 0: all, 2: value = '', index } of text.matchAll(idReference))
    names.push(...findWords('id', value, index + all.length - 1 - value.length));
  for (const { 1: name = '', index } of text.matchAll(/\bhref\s*=\s*["']#([\w\u0080-\uffff-]+)/g))
    names.push({
      kind: 'id',
      name,
      ...spanAt(text.indexOf('#', index) + 1, name),
      isSource: false,
    });
  return names;
}

/** Of a script, by what it calls the page with. */
export function findNamesInScript(text: string): Name[] {
  const names: Name[] = [];
  for (const { 0: all, 1: list = '', index } of text.matchAll(listMethods))
    names.push(...findInExpression(list, index + all.length - 1 - list.length));
  for (const { 0: all, 2: selector = '', index } of text.matchAll(query))
    names.push(...findInSelector(selector, index + all.length - 1 - selector.length, false));
  for (const { 0: all, 2: name = '', index } of text.matchAll(byId))
    names.push(...findWords('id', name, index + all.length - 1 - name.length));
  for (const { 1: name = '', index } of text.matchAll(/["'`](--[\w-]+)["'`]/g))
    names.push({ kind: 'property', name, ...spanAt(index + 1, name), isSource: false });
  return names;
}

function findInPrelude(prelude: string, at: number): Name[] {
  const property = /^\s*@property\s+(--[\w-]+)/.exec(prelude);
  if (property) return [declared(property[1] ?? '', at + property[0].length, '')];
  return /^\s*@(?!scope\b|nest\b)/.test(prelude) ? [] : findInSelector(prelude, at, true);
}

function findInSelector(selector: string, at: number, isRule: boolean): Name[] {
  return [...selector.matchAll(inSelector)].map(({ 1: mark, 2: name = '', index }) => {
    const kind = mark === '.' ? 'class' : 'id';
    return { kind, name, ...spanAt(at + index + 1, name), isSource: isRule && kind === 'class' };
  });
}

function findDeclared(part: string, at: number, text: string): Name[] {
  const found = /^\s*(--[\w\u0080-\uffff-]+)\s*:/.exec(part);
  if (!found) return [];
  const value = text.slice(at + found[0].length, at + part.length).replace(/[;}]$/, '');
  const name = found[1] ?? '';
  return [declared(name, at + found[0].indexOf('--') + name.length, value.trim())];
}

function declared(name: string, end: number, value: string): Name {
  return { kind: 'property', name, from: end - name.length, to: end, isSource: true, value };
}

function findClasses(value: string, at: number): Name[] {
  return findWords('class', value, at);
}

function findId(value: string, at: number): Name[] {
  return findWords('id', hideBraces(value), at).map((name) => ({ ...name, isSource: true }));
}

function findWords(kind: Name['kind'], value: string, at: number): Name[] {
  return [...value.matchAll(classWord)].map(({ 0: name, index }) => ({
    kind,
    name,
    ...spanAt(at + index, name),
    isSource: false,
  }));
}

/** Words of strings, and keys: `{ active: on }`, `clsx('a', on && 'b')`. */
function findInExpression(expression: string, at: number): Name[] {
  const strings = /(["'`])((?:(?!\1)[^\\])*)\1/g;
  const keys = /[{,]\s*([a-zA-Z_][\w-]*)\s*:/g;
  return [
    ...[...expression.matchAll(strings)].flatMap(({ 2: value = '', index }) =>
      findClasses(hideBraces(value), at + index + 1),
    ),
    ...[...expression.matchAll(keys)].map(({ 0: all, 1: name = '', index }) => {
      const from = at + index + all.indexOf(name);
      return { kind: 'class' as const, name, ...spanAt(from, name), isSource: false };
    }),
  ];
}

function spanAt(from: number, name: string) {
  return { from, to: from + name.length };
}

/** Without `${…}` and `{…}`, which are no words. */
function hideBraces(value: string): string {
  return value.replace(/\$?\{[^{}]*\}/g, blank);
}

/**
 * Without comments, strings, addresses and interpolations, in which nothing is named. What is not
 * closed goes to the end of its line, so that nothing is looked at twice.
 */
function hideText(styles: string): string {
  return styles
    .replace(
      /\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|url\([^)\n]*\)?/g,
      blank,
    )
    .replace(/(?<![:\w])\/\/.*/g, blank)
    .replace(/#\{[^{}]*\}|@\{[^{}]*\}/g, blank);
}
