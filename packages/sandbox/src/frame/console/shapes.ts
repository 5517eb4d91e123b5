/**
 * Kind and members of an object, read without running user code: no getter of the page and no proxy trap. Getters
 * of the platform are called for objects that have no other state, such as a `URL` or an event.
 */
import type { ConsoleObject } from '../../console-values.ts';
import { readBuiltIn } from './built-in.ts';
import { openingTag } from '../opening-tag.ts';
import { targetOf } from './proxies.ts';

export interface ObjectShape {
  type: ConsoleObject['type'];
  name: string;
  size: number;
  /** Members starting at index `from`, followed by the prototype if it is informative. */
  members(from: number): Iterable<ObjectMember>;
}

export interface ObjectMember {
  name: string;
  /** Key of a Map entry. */
  key?: { value: unknown };
  isHidden?: true;
  /** A value, an uncalled getter of the object, or undefined for a hole in an array. */
  content: { value: unknown } | { getter: () => unknown } | undefined;
}

export function shapeOf(value: object, asObject: boolean): ObjectShape {
  const target = targetOf(value);
  if (target !== value) {
    const shape = shapeOf(target, asObject);
    return { ...shape, name: `Proxy(${shape.name})` };
  }
  if (typeof value === 'function') return functionShape(value);
  if (Array.isArray(value)) return listShape(value, value.length);
  if (ArrayBuffer.isView(value) && !(value instanceof DataView))
    return listShape(value, Number(readBuiltIn(typedArray, 'length', value)));
  const isNode = value instanceof Node && readBuiltIn(Node.prototype, 'nodeType', value);
  if (isNode && !asObject) return nodeShape(value);
  return collectionShape(value) ?? objectShape(value, asObject);
}

const typedArray: object = Object.getPrototypeOf(Uint8Array.prototype);

function collectionShape(value: object): ObjectShape | undefined {
  if (value instanceof Map) {
    const size = readBuiltIn(Map.prototype, 'size', value);
    if (typeof size !== 'number') return undefined;
    return { type: 'map', name: nameOf(value), size, members: (from) => entriesOf(value, from) };
  }
  if (value instanceof Set) {
    const size = readBuiltIn(Set.prototype, 'size', value);
    if (typeof size !== 'number') return undefined;
    return { type: 'set', name: nameOf(value), size, members: (from) => itemsOf(value, from) };
  }
  const list = documentLists.find((each) => value instanceof each);
  const size = list && readBuiltIn(list.prototype, 'length', value);
  return typeof size === 'number' ? listShape(value, size) : undefined;
}

/** Platform classes of array-like lists. */
const documentLists = [NodeList, HTMLCollection, DOMTokenList, NamedNodeMap, FileList];

function* entriesOf(map: Map<unknown, unknown>, from: number): Iterable<ObjectMember> {
  let index = 0;
  const entries: Iterator<[unknown, unknown]> = Map.prototype.entries.call(map);
  for (let next = entries.next(); !next.done; next = entries.next()) {
    const [key, value] = next.value;
    if (index >= from) yield { name: '', key: { value: key }, content: { value } };
    index += 1;
  }
}

function* itemsOf(set: Set<unknown>, from: number): Iterable<ObjectMember> {
  let index = 0;
  const items: Iterator<unknown> = Set.prototype.values.call(set);
  for (let next = items.next(); !next.done; next = items.next()) {
    if (index >= from) yield { name: String(index), content: { value: next.value } };
    index += 1;
  }
}

function listShape(list: object, size: number): ObjectShape {
  return { type: 'array', name: nameOf(list), size, members: (from) => placesOf(list, from, size) };
}

function* placesOf(list: object, from: number, size: number): Iterable<ObjectMember> {
  for (let index = from; index < size; index += 1) yield partOf(list, String(index));
}

function functionShape(value: object): ObjectShape {
  const source = sourceOf(value);
  const keys = Reflect.ownKeys(value);
  const isClass = /^class\b/.test(source);
  const name = readOwn(value, 'name');
  const head = isClass
    ? source.slice(0, 200).replace(/\s*\{[^]*/, '')
    : `${typeof name === 'string' ? name.slice(0, 200) : ''}${parametersOf(source)}`;
  return {
    type: isClass ? 'class' : 'function',
    name: head,
    size: keys.length,
    members: (from) => keys.slice(from).map((key) => partOf(value, key)),
  };
}

/** Parameter list of a function: "function add(a, b = f()) {…}" → "(a, b = f())", "x => x" → "(x)"; long ones are cut. */
function parametersOf(source: string): string {
  const arrow = /^(?:async\s+)?([\w$]+)\s*=>/.exec(source);
  if (arrow) return `(${arrow[1]})`;
  const start = source.indexOf('(');
  let depth = 0;
  for (let at = start; at < start + 120 && at < source.length; at += 1) {
    if (source[at] === '(') depth += 1;
    else if (source[at] === ')') depth -= 1;
    if (depth === 0) return source.slice(start, at + 1).replace(/\s+/g, ' ');
  }
  return '(…)';
}

function objectShape(value: object, isWhole: boolean): ObjectShape {
  const keys = isError(value) ? Reflect.ownKeys(value).filter(isExtra) : Reflect.ownKeys(value);
  const [prototype] = prototypesOf(value);
  const isFromPlatform = !isWhole && isOfPlatform(value);
  const inherited = inheritedGetters(value);
  return {
    type: isError(value) ? 'error' : 'object',
    name: nameOf(value),
    size: keys.length + inherited.length,
    *members(from) {
      for (const key of keys.slice(from)) yield partOf(value, key);
      for (const [name, get] of inherited.slice(Math.max(0, from - keys.length))) {
        if (isFromPlatform) yield { name, content: readGetter(get, value) };
        else yield { name, isHidden: true, content: { getter: get } };
      }
      const isInformative =
        isWhole || !(isFromPlatform || commonPrototypes.has(prototype) || isError(value));
      if (prototype && isInformative)
        yield { name: '[[Prototype]]', isHidden: true, content: { value: prototype } };
    },
  };
}

function readGetter(get: () => unknown, value: object): ObjectMember['content'] {
  try {
    return { value: Reflect.apply(get, value, []) };
  } catch {
    // The getter throws for this object, as for a prototype object.
    return { getter: get };
  }
}

/** Whether a property isn't already shown in an error's header. */
function isExtra(key: PropertyKey): boolean {
  return key !== 'stack' && key !== 'message';
}

export function isError(value: object): value is Error {
  const isErrorFunction: unknown = Reflect.get(Error, 'isError');
  return typeof isErrorFunction === 'function'
    ? Boolean(Reflect.apply(isErrorFunction, Error, [value]))
    : value instanceof Error;
}

/** Prototypes that are not informative. */
const commonPrototypes = new Set<unknown>([
  Object.prototype,
  Function.prototype,
  Promise.prototype,
  Error.prototype,
  TypeError.prototype,
  RangeError.prototype,
  SyntaxError.prototype,
  ReferenceError.prototype,
  AggregateError.prototype,
]);

/**
 * Whether an object was created by the browser and has its state in getters. Excludes nodes and windows, which
 * have too many getters, some of which trigger layout.
 */
function isOfPlatform(value: object): boolean {
  const prototypes = prototypesOf(value);
  if (commonPrototypes.has(prototypes[0]) || isError(value)) return false;
  const makers = prototypes.map((prototype) => readOwn(prototype, 'constructor'));
  const [first] = makers;
  const isExcluded = makers.some((maker) =>
    /^(?:Node|Window)$/.test(String(readOwn(maker, 'name'))),
  );
  return typeof first === 'function' && isNative(first) && !isExcluded;
}

function inheritedGetters(value: object): [name: string, get: () => unknown][] {
  const found = new Map<string, () => unknown>();
  for (const prototype of prototypesOf(value)) {
    if (commonPrototypes.has(prototype)) break;
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(prototype)))
      if (get && name !== '__proto__' && !found.has(name)) found.set(name, get);
  }
  return [...found];
}

/** Prototype chain, nearest first. Limited, because a proxy can make it endless. */
export function prototypesOf(value: object): object[] {
  const found: object[] = [];
  let prototype: unknown = Object.getPrototypeOf(value);
  for (; isObject(prototype) && found.length < 30; prototype = Object.getPrototypeOf(prototype))
    found.push(prototype);
  return found;
}

export function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function nodeShape(node: Node): ObjectShape {
  const children = childrenOf(node);
  const [only] = children;
  const tag = node instanceof Element ? openingTag(node) : node.nodeName;
  const text = children.length === 1 && only instanceof Text ? only.data.trim() : '';
  if (text !== '' && text.length <= 60 && node instanceof Element)
    return {
      type: 'element',
      name: `${tag}${text}</${node.localName}>`,
      size: 0,
      members: () => [],
    };
  return {
    type: 'element',
    name: tag,
    size: children.length,
    members: (from) => children.slice(from).map((value) => ({ name: '', content: { value } })),
  };
}

/** Child nodes without white space between tags. Read by the built-in getter: form fields can shadow properties. */
function childrenOf(node: Node): Node[] {
  const list = readBuiltIn(Node.prototype, 'childNodes', node);
  const shadow =
    node instanceof Element ? readBuiltIn(Element.prototype, 'shadowRoot', node) : null;
  const children = list instanceof NodeList ? [...list] : [];
  return [
    ...(shadow instanceof ShadowRoot ? [shadow] : []),
    ...children.filter((child) => !(child instanceof Text) || child.data.trim() !== ''),
  ];
}

function partOf(object: object, key: PropertyKey): ObjectMember {
  const property = Object.getOwnPropertyDescriptor(object, key);
  const name = String(key);
  if (!property) return { name, content: undefined };
  const { get } = property;
  const content = get ? { getter: get } : { value: property.value as unknown };
  return property.enumerable ? { name, content } : { name, isHidden: true, content };
}

export function readOwn(object: unknown, key: PropertyKey): unknown {
  return isObject(object) ? Object.getOwnPropertyDescriptor(object, key)?.value : undefined;
}

function sourceOf(value: object): string {
  return Function.prototype.toString.call(value);
}

export function isNative(value: object): boolean {
  return /\{\s*\[native code\]\s*\}\s*$/.test(sourceOf(value).slice(-40));
}

/** Name of the nearest own or inherited constructor. */
function nameOf(value: object): string {
  for (const object of [value, ...prototypesOf(value)]) {
    const name = readOwn(readOwn(object, 'constructor'), 'name');
    if (typeof name === 'string') return name;
  }
  return '';
}
