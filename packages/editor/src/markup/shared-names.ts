import { blankText, findBraceEnds } from './blank-text.ts';

/** An occurrence of a name that markup, styles and scripts share. */
export interface SharedName {
  readonly kind: 'class' | 'id' | 'property';
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /**
   * True for the definition: a class in a selector, an id on an element, or a custom property's
   * declaration.
   */
  readonly isDefinition: boolean;
  /** Value in a custom property's definition. */
  readonly value?: string;
}

const identifier = String.raw`-?[_a-zA-Z\u0080-\uffff][\w\u0080-\uffff-]*`;
const selectorNames = new RegExp(`([.#])(${identifier})`, 'g');
const words = /[^\s"'`{}<>$]+/g;
const classListCalls = /\bclassList\s*\.\s*(?:add|remove|toggle|contains|replace)\s*\(([^()]*)\)/g;
const selectorCalls = /\b(?:querySelector(?:All)?|closest|matches)\s*\(\s*(["'`])(.*?)\1/g;
const getElementByIdCalls = /\bgetElementById\s*\(\s*(["'`])(.*?)\1/g;
/** Attributes whose values are ids of elements. */
const idAttributes =
  'for|htmlFor|list|form|headers|popovertarget|commandfor|aria-(?:labelledby|describedby|controls|owns|details|errormessage|flowto|activedescendant)';
const idReferences = new RegExp(
  String.raw`(?<![\w-])(?:${idAttributes})\s*=\s*(["'])([^"'{}]*)\1`,
  'gi',
);
const idAttributePattern = new RegExp(`^(?:${idAttributes})$`, 'i');

/** True for an attribute that references elements by id. */
export function isIdReference(attribute: string): boolean {
  return idAttributePattern.test(attribute);
}

/** Finds names in a stylesheet of any dialect. */
export function findStyleNames(text: string): SharedName[] {
  const plain = blankNonCode(text);
  const names: SharedName[] = [];
  for (const { 0: statement, index } of plain.matchAll(/[^;{}]*[;{}]|[^;{}]+$/g)) {
    if (statement.endsWith('{')) names.push(...findPreludeNames(statement, index));
    else names.push(...findDeclaration(statement, index, text));
  }
  for (const { 1: name = '', 0: all, index } of plain.matchAll(/var\(\s*(--[\w\u0080-\uffff-]+)/g))
    names.push({
      kind: 'property',
      name,
      ...spanAt(index + all.length - name.length, name),
      isDefinition: false,
    });
  return names;
}

/** Finds names in markup without its styles and scripts, or in a script with JSX. */
export function findMarkupNames(text: string): SharedName[] {
  const names: SharedName[] = [];
  const attributes = /(?<![\w:-])((?:v-bind)?:)?(class(?:Name)?|id)\s*=\s*(["'])([\s\S]*?)\3/g;
  for (const { 0: all, 1: bound, 2: attribute, 4: value = '', index } of text.matchAll(
    attributes,
  )) {
    const from = index + all.length - 1 - value.length;
    if (attribute === 'id') names.push(...(bound ? [] : findId(value, from)));
    else if (bound) names.push(...findExpressionNames(value, from));
    else names.push(...findClasses(blankBraces(value), from));
  }
  const ends = findBraceEnds(text);
  let end = 0;
  for (const { 0: all, index } of text.matchAll(/(?<![\w-])class(?:Name)?\s*=\s*(?=\{)/g)) {
    const from = index + all.length;
    if (from < end) continue;
    end = ends.get(from) ?? from;
    names.push(...findExpressionNames(text.slice(from, end), from));
  }
  // Svelte's `class:name` directive.
  for (const { 1: name = '', index } of text.matchAll(/\sclass:([\w-]+)/g))
    names.push({
      kind: 'class',
      name,
      ...spanAt(index + ' class:'.length, name),
      isDefinition: false,
    });
  for (const { 0: all, 2: value = '', index } of text.matchAll(idReferences))
    names.push(...findWords('id', value, index + all.length - 1 - value.length));
  for (const { 1: name = '', index } of text.matchAll(/\bhref\s*=\s*["']#([\w\u0080-\uffff-]+)/g))
    names.push({
      kind: 'id',
      name,
      ...spanAt(text.indexOf('#', index) + 1, name),
      isDefinition: false,
    });
  return names;
}

/** Finds names that a script passes to DOM methods. */
export function findScriptNames(text: string): SharedName[] {
  const names: SharedName[] = [];
  for (const { 0: all, 1: args = '', index } of text.matchAll(classListCalls))
    names.push(...findExpressionNames(args, index + all.length - 1 - args.length));
  for (const { 0: all, 2: selector = '', index } of text.matchAll(selectorCalls))
    names.push(...findSelectorNames(selector, index + all.length - 1 - selector.length, false));
  for (const { 0: all, 2: name = '', index } of text.matchAll(getElementByIdCalls))
    names.push(...findWords('id', name, index + all.length - 1 - name.length));
  for (const { 1: name = '', index } of text.matchAll(/["'`](--[\w-]+)["'`]/g))
    names.push({ kind: 'property', name, ...spanAt(index + 1, name), isDefinition: false });
  return names;
}

function findPreludeNames(prelude: string, at: number): SharedName[] {
  const property = /^\s*@property\s+(--[\w-]+)/.exec(prelude);
  if (property) return [createDefinition(property[1] ?? '', at + property[0].length, '')];
  return /^\s*@(?!scope\b|nest\b)/.test(prelude) ? [] : findSelectorNames(prelude, at, true);
}

function findSelectorNames(selector: string, at: number, isRule: boolean): SharedName[] {
  return [...selector.matchAll(selectorNames)].map(({ 1: prefix, 2: name = '', index }) => {
    const kind = prefix === '.' ? 'class' : 'id';
    return {
      kind,
      name,
      ...spanAt(at + index + 1, name),
      isDefinition: isRule && kind === 'class',
    };
  });
}

function findDeclaration(statement: string, at: number, text: string): SharedName[] {
  const found = /^\s*(--[\w\u0080-\uffff-]+)\s*:/.exec(statement);
  if (!found) return [];
  const value = text.slice(at + found[0].length, at + statement.length).replace(/[;}]$/, '');
  const name = found[1] ?? '';
  return [createDefinition(name, at + found[0].indexOf('--') + name.length, value.trim())];
}

function createDefinition(name: string, end: number, value: string): SharedName {
  return { kind: 'property', name, from: end - name.length, to: end, isDefinition: true, value };
}

function findClasses(value: string, at: number): SharedName[] {
  return findWords('class', value, at);
}

function findId(value: string, at: number): SharedName[] {
  return findWords('id', blankBraces(value), at).map((name) => ({ ...name, isDefinition: true }));
}

function findWords(kind: SharedName['kind'], value: string, at: number): SharedName[] {
  return [...value.matchAll(words)].map(({ 0: name, index }) => ({
    kind,
    name,
    ...spanAt(at + index, name),
    isDefinition: false,
  }));
}

/** Finds words of strings and object keys: `{ active: on }`, `clsx('a', on && 'b')`. */
function findExpressionNames(expression: string, at: number): SharedName[] {
  const strings = /(["'`])((?:(?!\1)[^\\])*)\1/g;
  const keys = /[{,]\s*([a-zA-Z_][\w-]*)\s*:/g;
  return [
    ...[...expression.matchAll(strings)].flatMap(({ 2: value = '', index }) =>
      findClasses(blankBraces(value), at + index + 1),
    ),
    ...[...expression.matchAll(keys)].map(({ 0: all, 1: name = '', index }) => {
      const from = at + index + all.indexOf(name);
      return { kind: 'class' as const, name, ...spanAt(from, name), isDefinition: false };
    }),
  ];
}

function spanAt(from: number, name: string) {
  return { from, to: from + name.length };
}

/** Blanks `${…}` and `{…}`. */
function blankBraces(value: string): string {
  return value.replace(/\$?\{[^{}]*\}/g, blankText);
}

/**
 * Blanks comments, strings, URLs and interpolations. Unclosed ones extend to the end of the line,
 * so that no text is scanned twice.
 */
function blankNonCode(styles: string): string {
  return styles
    .replace(
      /\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|url\([^)\n]*\)?/g,
      blankText,
    )
    .replace(/(?<![:\w])\/\/.*/g, blankText)
    .replace(/#\{[^{}]*\}|@\{[^{}]*\}/g, blankText);
}
