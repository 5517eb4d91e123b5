/**
 * Makes a bounded, plain picture of any value: at most 64 KB and about 40 ms for one entry, never a
 * throw. What is left out can be asked for by a handle.
 */
import { valueLimits, type ConsoleMember, type ConsoleValue } from '../console-values.ts';
import type { ConsoleEntry } from '../protocol.ts';
import type { LogUncaught } from './console.ts';
import { readBuiltIn } from './built-in.ts';
import type { Handles } from './handles.ts';
import { targetOf } from './proxies.ts';
import {
  isError,
  isObject,
  prototypesOf,
  readOwn,
  shapeOf,
  type Part,
  type Shape,
} from './shapes.ts';

const longestMs = 40;
const { textCharacters, itemsPerValue, depth: deepest } = valueLimits;
/** Leaves room for what the parser of the other side counts beside texts. */
const charactersPerEntry = valueLimits.entryCharacters - 4_096;
const valuesPerEntry = valueLimits.entryValues - 100;

export interface Serialiser {
  /** `asObject` shows a node by its properties, as `console.dir` does. */
  serialise(value: unknown, asObject?: boolean): ConsoleValue;
  /** One level of an object, from the member with this index on. */
  open(value: object, from: number, asObject: boolean): { size: number; members: ConsoleMember[] };
  /** A text of our own making, or a format string's. */
  text(text: string): string;
  /** Spent so far. */
  characters(): number;
}

/** What the texts of errors and the objects that are cut go through. */
export interface Surroundings {
  handles: Handles;
  cleanStack(stack: string): string;
  /** Sends what was logged and waits; set by whoever watches the console. */
  flush?: () => void;
  /** Sends what another realm of the page has logged, in its turn; set likewise. */
  pass?: (entry: ConsoleEntry) => void;
  /** Watches the console of a frame as well; set likewise. */
  adopt?: (console: Console, realm: string) => LogUncaught;
}

/** One for each entry: what its values cost together is bounded. */
export function createSerialiser({ handles, cleanStack }: Surroundings): Serialiser {
  const endsAt = performance.now() + longestMs;
  let characters = charactersPerEntry;
  let values = valuesPerEntry;
  /** Objects on the way to the one at hand, so that cycles end. */
  const above = new Set<object>();

  const cutText = (full: string, most: number = textCharacters): string => {
    const part = full.slice(0, Math.max(0, Math.min(most, characters)));
    characters -= part.length;
    return part;
  };
  /** One that is cut says so by its end. */
  const text = (full: string, most: number = textCharacters): string => {
    const part = cutText(full, most);
    return part.length < full.length ? `${part.slice(0, -1)}…` : part;
  };
  const isSpent = () => values <= 0 || characters <= 0 || performance.now() > endsAt;

  const serialise = (value: unknown, depth: number, asObject = false): ConsoleValue => {
    values -= 1;
    try {
      if (isObject(value))
        return describeSimple(targetOf(value)) ?? describeObject(value, depth, asObject);
      return describePrimitive(value);
    } catch {
      // Revoked proxies and traps that throw.
      return { type: 'unreadable' };
    }
  };

  const describePrimitive = (value: unknown): ConsoleValue => {
    switch (typeof value) {
      case 'string': {
        const part = cutText(value);
        return { type: 'string', text: part, cut: value.length - part.length };
      }
      case 'number':
        return { type: 'number', text: Object.is(value, -0) ? '-0' : String(value) };
      case 'bigint':
        return { type: 'bigint', text: `${text(readBigInt(value), 1_000)}n` };
      case 'boolean':
        return { type: 'boolean', text: String(value) };
      case 'symbol':
        return { type: 'symbol', text: text(String(value), 200) };
      default:
        return value === null ? { type: 'null' } : { type: 'undefined' };
    }
  };

  const describeSimple = (value: object): ConsoleValue | undefined => {
    if (value instanceof Date) return { type: 'date', text: readDate(value) };
    if (value instanceof RegExp)
      return { type: 'regexp', text: text(RegExp.prototype.toString.call(value), 1_000) };
    if (value instanceof Text) return { type: 'node', text: text(JSON.stringify(value.data), 500) };
    if (value instanceof Comment) return { type: 'node', text: `<!--${text(value.data, 500)}-->` };
    return undefined;
  };

  const describeObject = (value: object, depth: number, asObject: boolean): ConsoleValue => {
    if (above.has(value)) return { type: 'repeated' };
    const shape = shapeOf(value, asObject);
    const { type, size } = shape;
    const name = text(shape.name, 500);
    const members = depth < deepest && isShownAtOnce(shape) ? take(value, shape, 0, depth) : [];
    const isCut = members.filter(({ name: own }) => own !== '[[Prototype]]').length < size;
    const handle = isCut ? handles.keep(value, { asObject }) : 0;
    if (type !== 'error') return { type, name, size, members, handle };
    return { type, size, members, handle, ...describeError(targetOf(value)) };
  };

  const describeError = (value: object) => ({
    name: text(readText(value, 'name'), 200),
    message: text(readText(value, 'message'), 8_000),
    stack: text(cleanStack(readText(value, 'stack')), 4_000),
  });

  const take = (object: object, shape: Shape, from: number, depth: number): ConsoleMember[] => {
    const members: ConsoleMember[] = [];
    above.add(object);
    try {
      for (const part of isSpent() ? [] : shape.parts(from)) {
        const isPrototype = part.name === '[[Prototype]]';
        if (!isPrototype && members.length >= itemsPerValue) break;
        members.push(describePart(object, part, depth + 1));
        if (isSpent()) break;
      }
    } finally {
      above.delete(object);
    }
    return members;
  };

  const describePart = (object: object, part: Part, depth: number): ConsoleMember => {
    const { content } = part;
    // A prototype is a step aside, and looked at when it is opened.
    const at = part.name === '[[Prototype]]' ? deepest : depth;
    const value: ConsoleValue = !content
      ? { type: 'empty' }
      : 'getter' in content
        ? { type: 'getter', handle: handles.keep(object, { getter: content.getter }) }
        : serialise(content.value, at);
    const member: ConsoleMember = { name: text(part.name, 200), value };
    if (part.key) member.key = serialise(part.key.value, depth);
    if (part.isHidden) member.isHidden = true;
    return member;
  };

  return {
    serialise: (value, asObject) => serialise(value, 0, asObject),
    open(value, from, asObject) {
      const shape = shapeOf(value, asObject);
      // Enough of each to say in its line what it is.
      return { size: shape.size, members: take(value, shape, from, deepest - 2) };
    },
    text,
    characters: () => charactersPerEntry - characters,
  };
}

/** What is in these changes or says little, and is read when it is opened. */
function isShownAtOnce({ type }: Shape): boolean {
  return type !== 'element' && type !== 'function' && type !== 'class';
}

/** Own or inherited, but never by way of a getter, except the browser's own. */
function readText(error: object, key: 'name' | 'message' | 'stack'): string {
  for (const object of [error, ...prototypesOf(error)]) {
    const isBrowsers = object === DOMException.prototype;
    const own = isBrowsers ? readBuiltIn(object, key, error) : readOwn(object, key);
    if (typeof own === 'string') return own;
    if (key === 'stack' && isError(error)) return stackOf(error);
  }
  return '';
}

function stackOf({ stack }: { stack?: unknown }): string {
  return typeof stack === 'string' ? stack : '';
}

function readDate(value: Date): string {
  const time = Date.prototype.getTime.call(value);
  return Number.isNaN(time) ? 'Invalid Date' : new Date(time).toISOString();
}

/** Writing a number of a million digits takes seconds; such a one is only measured. */
function readBigInt(value: bigint): string {
  const most = 1n << 3_000n;
  return value < most && value > -most ? String(value) : '(very long)';
}
