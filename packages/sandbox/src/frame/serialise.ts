/**
 * Makes a bounded, plain picture of any value: at most 64 KB and about 40 ms for one entry, never a
 * throw. Getters are not called; a proxy's traps are the only user code that can run here.
 */
import { valueLimits, type ConsoleValue } from '../console-values.ts';

const longestMs = 40;
const { textCharacters, itemsPerValue, depth: deepest } = valueLimits;
/** Leaves room for what the parser of the other side counts beside texts. */
const charactersPerEntry = valueLimits.entryCharacters - 4_096;
const valuesPerEntry = valueLimits.entryValues - 100;

export interface Serialiser {
  serialise(value: unknown): ConsoleValue;
  /** A text of our own making, or a format string's. */
  text(text: string): string;
  /** Spent so far. */
  characters(): number;
}

/** One for each entry: what its values cost together is bounded. */
export function createSerialiser(): Serialiser {
  const endsAt = performance.now() + longestMs;
  let characters = charactersPerEntry;
  let values = valuesPerEntry;
  /** Objects on the way to the one at hand, so that cycles end. */
  const above = new Set<object>();

  const text = (full: string, most: number = textCharacters): string => {
    const part = full.slice(0, Math.max(0, Math.min(most, characters)));
    characters -= part.length;
    return part;
  };
  const isSpent = () => values <= 0 || characters <= 0 || performance.now() > endsAt;

  const serialise = (value: unknown, depth: number): ConsoleValue => {
    values -= 1;
    try {
      if (typeof value === 'object' && value !== null) return serialiseObject(value, depth);
      return serialisePrimitive(value);
    } catch {
      // Revoked proxies and traps that throw.
      return { type: 'unreadable' };
    }
  };

  const serialisePrimitive = (value: unknown): ConsoleValue => {
    switch (typeof value) {
      case 'string': {
        const part = text(value);
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
      case 'function':
        return describeFunction(value);
      default:
        return value === null ? { type: 'null' } : { type: 'undefined' };
    }
  };

  const describeFunction = (value: unknown): ConsoleValue => {
    const name = readOwn(value, 'name');
    const source = Function.prototype.toString.call(value);
    const shown = typeof name === 'string' ? text(name, 200) : '';
    return { type: source.startsWith('class') ? 'class' : 'function', text: shown };
  };

  const serialiseObject = (value: object, depth: number): ConsoleValue => {
    if (above.has(value)) return { type: 'repeated' };
    const simple = describeSimple(value);
    if (simple) return simple;
    if (depth >= deepest || isSpent()) return { type: 'deeper' };
    above.add(value);
    try {
      return describeContainer(value, depth);
    } finally {
      above.delete(value);
    }
  };

  const describeSimple = (value: object): ConsoleValue | undefined => {
    if (value instanceof Error) return describeError(value);
    if (value instanceof Date) return { type: 'date', text: readDate(value) };
    if (value instanceof RegExp)
      return { type: 'regexp', text: text(RegExp.prototype.toString.call(value), 1_000) };
    if (value instanceof Element) return { type: 'element', text: text(openingTag(value), 500) };
    return undefined;
  };

  const describeError = (value: Error): ConsoleValue => ({
    type: 'error',
    name: text(readText(value, 'name'), 200),
    message: text(readText(value, 'message'), 2_000),
    stack: text(readText(value, 'stack'), 4_000),
  });

  const describeContainer = (value: object, depth: number): ConsoleValue => {
    const name = text(nameOf(value), 100);
    const inner = (item: unknown) => serialise(item, depth + 1);
    if (Array.isArray(value) || isTypedArray(value))
      return { type: 'array', name, size: value.length, items: takeItems(value, inner) };
    if (value instanceof Set) {
      const items = takeFrom(Set.prototype.values.call(value), inner);
      return { type: 'set', name, size: readSize(value), items };
    }
    if (value instanceof Map) {
      const entries = takeFrom(
        Map.prototype.entries.call(value),
        ([key, item]): [ConsoleValue, ConsoleValue] => [inner(key), inner(item)],
      );
      return { type: 'map', name, size: readSize(value), entries };
    }
    const keys = Reflect.ownKeys(value).filter((key) => isListed(value, key));
    const properties = takeFrom(keys.values(), (key): [string, ConsoleValue] => [
      text(String(key), 200),
      serialiseProperty(value, key, inner),
    ]);
    return { type: 'object', name, size: keys.length, properties };
  };

  const takeItems = (
    list: ArrayLike<unknown>,
    make: (item: unknown) => ConsoleValue,
  ): ConsoleValue[] => {
    const items: ConsoleValue[] = [];
    const count = Math.min(list.length, itemsPerValue);
    for (let index = 0; index < count && !isSpent(); index += 1)
      items.push(serialiseProperty(list, String(index), make));
    return items;
  };

  const takeFrom = <T, U>(items: Iterator<T>, make: (item: T) => U): U[] => {
    const made: U[] = [];
    while (made.length < itemsPerValue && !isSpent()) {
      const { done, value } = items.next();
      if (done) break;
      made.push(make(value));
    }
    return made;
  };

  return {
    serialise: (value) => serialise(value, 0),
    text,
    characters: () => charactersPerEntry - characters,
  };
}

/** The property's value, or that it is a getter's. */
function serialiseProperty(
  object: object,
  key: PropertyKey,
  make: (item: unknown) => ConsoleValue,
): ConsoleValue {
  const property = Object.getOwnPropertyDescriptor(object, key);
  if (!property) return { type: 'undefined' };
  return 'value' in property ? make(property.value) : { type: 'unreadable' };
}

function isListed(object: object, key: PropertyKey): boolean {
  return Object.getOwnPropertyDescriptor(object, key)?.enumerable === true;
}

function readOwn(object: unknown, key: PropertyKey): unknown {
  if ((typeof object !== 'object' && typeof object !== 'function') || object === null)
    return undefined;
  return Object.getOwnPropertyDescriptor(object, key)?.value;
}

/** Own or inherited, but never by way of a getter, except the browser's own for stacks. */
function readText(error: Error, key: 'name' | 'message' | 'stack'): string {
  for (let object: object | null = error; object; object = Object.getPrototypeOf(object)) {
    const property = Object.getOwnPropertyDescriptor(object, key);
    if (!property) continue;
    const value: unknown = key === 'stack' ? error.stack : property.value;
    return typeof value === 'string' ? value : '';
  }
  return '';
}

function nameOf(value: object): string {
  const constructor = readOwn(Object.getPrototypeOf(value), 'constructor');
  const name = readOwn(constructor, 'name');
  return typeof name === 'string' ? name : '';
}

type TypedArray = Int8Array | Float64Array;

function isTypedArray(value: object): value is TypedArray {
  return ArrayBuffer.isView(value) && !(value instanceof DataView);
}

function readSize(value: Map<unknown, unknown> | Set<unknown>): number {
  const prototype = value instanceof Map ? Map.prototype : Set.prototype;
  const size: unknown = Object.getOwnPropertyDescriptor(prototype, 'size')?.get?.call(value);
  return typeof size === 'number' ? size : 0;
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

/** `<p class="a b">`, without the contents. */
function openingTag(element: Element): string {
  const attributes = [...element.attributes]
    .slice(0, 10)
    .map(({ name, value }) => ` ${name}="${value.slice(0, 50)}"`);
  return `<${element.localName}${attributes.join('')}>`;
}
