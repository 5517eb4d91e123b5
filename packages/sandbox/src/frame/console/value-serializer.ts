/**
 * Serializes any value for the console: at most 64 KB and about 40 ms per entry, and it never throws. What is
 * left out can be requested by object id.
 */
import { valueLimits, type ConsoleMember, type ConsoleValue } from '../../console-values.ts';
import type { ConsoleEntry, SourceLocation } from '../../protocol.ts';
import { readBuiltIn } from './built-in.ts';
import type { ObjectTable } from './object-table.ts';
import { targetOf } from './proxies.ts';
import {
  isError,
  isObject,
  prototypesOf,
  readOwn,
  shapeOf,
  type ObjectMember,
  type ObjectShape,
} from './shapes.ts';

const maxMs = 40;
const { textCharacters, itemsPerValue, depth: maxDepth } = valueLimits;
/** Leaves room for characters that the host's parser counts besides texts. */
const charactersPerEntry = valueLimits.entryCharacters - 4_096;
const valuesPerEntry = valueLimits.entryValues - 100;

export interface ValueSerializer {
  /** Serializes a value. `asObject` expands a DOM node by its properties, as `console.dir` does. */
  serialize(value: unknown, asObject?: boolean): ConsoleValue;
  /** Serializes one level of an object, starting at member `from`. */
  expand(
    value: object,
    from: number,
    asObject: boolean,
  ): { size: number; members: ConsoleMember[] };
  /** A text of ours or of a format string, truncated to the limits. */
  text(text: string): string;
  /** Characters used so far. */
  characters(): number;
}

/** Services for serializing, shared by all entries of a document. */
export interface SerializationContext {
  objects: ObjectTable;
  cleanStack(stack: string): string;
  /** Sends waiting log entries. Set by the console. */
  flush?: () => void;
  /** Queues a log entry of another realm. Set by the console. */
  queueEntry?: (entry: ConsoleEntry) => void;
  /** Observes the console of a nested frame. Set by the console. */
  observeConsole?: (console: Console, realm: string) => LogUncaught;
}

/** Creates a serializer for one entry; the limits apply to all its values together. */
export function createValueSerializer({
  objects,
  cleanStack,
}: SerializationContext): ValueSerializer {
  const endsAt = performance.now() + maxMs;
  const budget = new TextBudget(charactersPerEntry);
  const text = (full: string, max?: number) => budget.truncate(full, max);
  let values = valuesPerEntry;
  /** Ancestors of the current object, for detecting cycles. */
  const ancestors = new Set<object>();

  const isExhausted = () => values <= 0 || budget.left <= 0 || performance.now() > endsAt;

  const serialize = (value: unknown, depth: number, asObject = false): ConsoleValue => {
    values -= 1;
    try {
      if (isObject(value))
        return describeSimple(targetOf(value), budget) ?? describeObject(value, depth, asObject);
      return describePrimitive(value, budget);
    } catch {
      // Revoked proxies, and traps that throw.
      return { type: 'unreadable' };
    }
  };

  const describeObject = (value: object, depth: number, asObject: boolean): ConsoleValue => {
    if (ancestors.has(value)) return { type: 'repeated' };
    const shape = shapeOf(value, asObject);
    const { type, size } = shape;
    const name = text(shape.name, 500);
    const members =
      depth < maxDepth && isExpandedAtOnce(shape) ? readMembers(value, shape, 0, depth) : [];
    const isCut = members.filter(({ name: own }) => own !== '[[Prototype]]').length < size;
    const handle = isCut ? objects.add(value, { asObject }) : 0;
    if (type !== 'error') return { type, name, size, members, handle };
    return { type, size, members, handle, ...describeError(targetOf(value)) };
  };

  const describeError = (value: object) => ({
    name: text(readText(value, 'name'), 200),
    message: text(readText(value, 'message'), 8_000),
    stack: text(cleanStack(readText(value, 'stack')), 4_000),
  });

  const readMembers = (
    object: object,
    shape: ObjectShape,
    from: number,
    depth: number,
  ): ConsoleMember[] => {
    const members: ConsoleMember[] = [];
    ancestors.add(object);
    try {
      for (const part of isExhausted() ? [] : shape.members(from)) {
        const isPrototype = part.name === '[[Prototype]]';
        if (!isPrototype && members.length >= itemsPerValue) break;
        members.push(describePart(object, part, depth + 1));
        if (isExhausted()) break;
      }
    } finally {
      ancestors.delete(object);
    }
    return members;
  };

  const describePart = (object: object, part: ObjectMember, depth: number): ConsoleMember => {
    const { content } = part;
    // A prototype isn't expanded by default.
    const at = part.name === '[[Prototype]]' ? maxDepth : depth;
    const value: ConsoleValue = !content
      ? { type: 'empty' }
      : 'getter' in content
        ? { type: 'getter', handle: objects.add(object, { getter: content.getter }) }
        : serialize(content.value, at);
    const member: ConsoleMember = { name: text(part.name, 200), value };
    if (part.key) member.key = serialize(part.key.value, depth);
    if (part.isHidden) member.isHidden = true;
    return member;
  };

  return {
    serialize: (value, asObject) => serialize(value, 0, asObject),
    expand(value, from, asObject) {
      const shape = shapeOf(value, asObject);
      // Two levels, enough to show each member in one line.
      return { size: shape.size, members: readMembers(value, shape, from, maxDepth - 2) };
    },
    text,
    characters: () => charactersPerEntry - budget.left,
  };
}

/** The characters that one entry may still have. */
class TextBudget {
  #left: number;

  constructor(characters: number) {
    this.#left = characters;
  }

  get left(): number {
    return this.#left;
  }

  /** Returns the beginning of a text that is within the limits. */
  take(full: string, max: number = textCharacters): string {
    const part = full.slice(0, Math.max(0, Math.min(max, this.#left)));
    this.#left -= part.length;
    return part;
  }

  /** Truncates a text; a truncated one ends with "…". */
  truncate(full: string, max: number = textCharacters): string {
    const part = this.take(full, max);
    return part.length < full.length ? `${part.slice(0, -1)}…` : part;
  }
}

function describePrimitive(value: unknown, budget: TextBudget): ConsoleValue {
  switch (typeof value) {
    case 'string': {
      const part = budget.take(value);
      return { type: 'string', text: part, cut: value.length - part.length };
    }
    case 'number':
      return { type: 'number', text: Object.is(value, -0) ? '-0' : String(value) };
    case 'bigint':
      return { type: 'bigint', text: `${budget.truncate(readBigInt(value), 1_000)}n` };
    case 'boolean':
      return { type: 'boolean', text: String(value) };
    case 'symbol':
      return { type: 'symbol', text: budget.truncate(String(value), 200) };
    default:
      return value === null ? { type: 'null' } : { type: 'undefined' };
  }
}

/** Describes an object that has no members to expand; undefined for all others. */
function describeSimple(value: object, budget: TextBudget): ConsoleValue | undefined {
  if (value instanceof Date) return { type: 'date', text: readDate(value) };
  if (value instanceof RegExp)
    return { type: 'regexp', text: budget.truncate(RegExp.prototype.toString.call(value), 1_000) };
  if (value instanceof Text)
    return { type: 'node', text: budget.truncate(JSON.stringify(value.data), 500) };
  if (value instanceof Comment)
    return { type: 'node', text: `<!--${budget.truncate(value.data, 500)}-->` };
  return undefined;
}

/** Whether members are included at once. Those of elements and functions are read when expanded. */
function isExpandedAtOnce({ type }: ObjectShape): boolean {
  return type !== 'element' && type !== 'function' && type !== 'class';
}

/** Reads an own or inherited property of an error without running getters, except the browser's own. */
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

/** Converts a BigInt. A million digits take seconds, so very long ones aren't converted. */
function readBigInt(value: bigint): string {
  const max = 1n << 3_000n;
  return value < max && value > -max ? String(value) : '(very long)';
}

/** Logs an uncaught error after the text `words`; `rejection` is the number of a rejected promise. */
export type LogUncaught = (
  words: string,
  thrown: unknown,
  location: SourceLocation & { rejection?: number },
) => void;
