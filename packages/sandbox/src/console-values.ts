/**
 * Values as the console shows them: plain trees that say what a thing is without being it. The
 * preview makes them from whatever user code logs (frame/serialise.ts); the app takes nothing for
 * granted and reads them again here, since user code can send what it likes.
 */
export type ConsoleValue =
  | { type: 'text'; text: string; style?: ConsoleStyle }
  | { type: 'string'; text: string; cut: number }
  | { type: 'number' | 'bigint' | 'boolean' | 'symbol' | 'date' | 'regexp'; text: string }
  | { type: 'undefined' | 'null' | 'repeated' | 'unreadable' | 'deeper' }
  | { type: 'function' | 'class' | 'element'; text: string }
  | { type: 'error'; name: string; message: string; stack: string }
  | { type: 'array' | 'set'; name: string; size: number; items: ConsoleValue[] }
  | { type: 'map'; name: string; size: number; entries: [ConsoleValue, ConsoleValue][] }
  | { type: 'object'; name: string; size: number; properties: [string, ConsoleValue][] };

/** What `%c` may set: nothing that loads, moves or covers. */
export type ConsoleStyle = Partial<Record<StyleProperty, string>>;
export type StyleProperty = (typeof styleProperties)[number];
export const styleProperties = [
  'color',
  'background-color',
  'font-weight',
  'font-style',
  'font-size',
  'font-family',
  'text-decoration',
] as const;

/** One entry costs at most this much, in characters of text and in values. */
export const valueLimits = {
  textCharacters: 10_000,
  entryCharacters: 64 * 1024,
  entryValues: 2_000,
  itemsPerValue: 100,
  depth: 5,
} as const;

/** A declaration list such as `color: red; background: url(x)` → `{ color: 'red' }`. */
export function parseStyle(declarations: string): ConsoleStyle {
  const style: ConsoleStyle = {};
  for (const declaration of declarations.slice(0, 1_000).split(';')) {
    const colon = declaration.indexOf(':');
    const property = findStyleProperty(declaration.slice(0, colon).trim().toLowerCase());
    const value = declaration.slice(colon + 1).trim();
    if (property && isHarmlessStyleValue(value)) style[property] = value;
  }
  return style;
}

function findStyleProperty(name: string): StyleProperty | undefined {
  if (name === 'background') return 'background-color';
  return styleProperties.find((property) => property === name);
}

function isHarmlessStyleValue(value: string): boolean {
  return (
    value.length <= 100 && /^[\w\s#%.,()"'/-]+$/.test(value) && !/url|image|var|attr/i.test(value)
  );
}

/** What is left to spend while one entry is read. */
interface Allowance {
  characters: number;
  values: number;
}

/** The values of one entry; undefined unless every one of them has a known shape and all fit. */
export function parseConsoleValues(input: unknown): ConsoleValue[] | undefined {
  const left = { characters: valueLimits.entryCharacters, values: valueLimits.entryValues };
  return parseAll(input, (value) => parseValue(value, left, 0));
}

function parseValue(input: unknown, left: Allowance, depth: number): ConsoleValue | undefined {
  left.values -= 1;
  if (left.values < 0 || depth > valueLimits.depth + 1 || !isRecord(input)) return undefined;
  const text = (key: string) => parseText(input[key], left);
  switch (input['type']) {
    case 'text': {
      const content = text('text');
      if (content === undefined) return undefined;
      const style = parseStyleRecord(input['style'], left);
      return style ? { type: 'text', text: content, style } : { type: 'text', text: content };
    }
    case 'string': {
      const content = text('text');
      const cut = parseCount(input['cut']);
      return content === undefined || cut === undefined
        ? undefined
        : { type: 'string', text: content, cut };
    }
    case 'number':
    case 'bigint':
    case 'boolean':
    case 'symbol':
    case 'date':
    case 'regexp':
    case 'function':
    case 'class':
    case 'element': {
      const content = text('text');
      return content === undefined ? undefined : { type: input['type'], text: content };
    }
    case 'undefined':
    case 'null':
    case 'repeated':
    case 'unreadable':
    case 'deeper':
      return { type: input['type'] };
    case 'error': {
      const [name, message, stack] = [text('name'), text('message'), text('stack')];
      if (name === undefined || message === undefined || stack === undefined) return undefined;
      return { type: 'error', name, message, stack };
    }
    default:
      return parseContainer(input, left, depth);
  }
}

function parseContainer(
  input: Record<string, unknown>,
  left: Allowance,
  depth: number,
): ConsoleValue | undefined {
  const name = parseText(input['name'], left);
  const size = parseCount(input['size']);
  if (name === undefined || size === undefined) return undefined;
  const value = (item: unknown) => parseValue(item, left, depth + 1);
  switch (input['type']) {
    case 'array':
    case 'set': {
      const items = parseAll(input['items'], value);
      return items && { type: input['type'], name, size, items };
    }
    case 'map': {
      const entries = parseAll(input['entries'], (entry) => parsePair(entry, value, value));
      return entries && { type: 'map', name, size, entries };
    }
    case 'object': {
      const key = (item: unknown) => parseText(item, left);
      const properties = parseAll(input['properties'], (entry) => parsePair(entry, key, value));
      return properties && { type: 'object', name, size, properties };
    }
    default:
      return undefined;
  }
}

function parseAll<T>(input: unknown, parse: (item: unknown) => T | undefined): T[] | undefined {
  if (!Array.isArray(input) || input.length > valueLimits.itemsPerValue) return undefined;
  const items: T[] = [];
  for (const item of input) {
    const parsed = parse(item);
    if (parsed === undefined) return undefined;
    items.push(parsed);
  }
  return items;
}

function parsePair<A, B>(
  input: unknown,
  parseFirst: (item: unknown) => A | undefined,
  parseSecond: (item: unknown) => B | undefined,
): [A, B] | undefined {
  if (!Array.isArray(input) || input.length !== 2) return undefined;
  const first = parseFirst(input[0]);
  const second = parseSecond(input[1]);
  return first === undefined || second === undefined ? undefined : [first, second];
}

function parseText(input: unknown, left: Allowance): string | undefined {
  if (typeof input !== 'string' || input.length > valueLimits.textCharacters) return undefined;
  left.characters -= input.length;
  return left.characters < 0 ? undefined : input;
}

function parseStyleRecord(input: unknown, left: Allowance): ConsoleStyle | undefined {
  if (!isRecord(input)) return undefined;
  const style: ConsoleStyle = {};
  for (const property of styleProperties) {
    const value = Object.hasOwn(input, property) ? parseText(input[property], left) : undefined;
    if (value !== undefined && isHarmlessStyleValue(value)) style[property] = value;
  }
  return style;
}

export function parseCount(input: unknown): number | undefined {
  return typeof input === 'number' && Number.isSafeInteger(input) && input >= 0 ? input : undefined;
}

export function isRecord(input: unknown): input is Record<string, unknown> {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}
