/**
 * Values as the console shows them: plain trees that say what a thing is without being it. The
 * preview makes them from whatever user code logs (frame/serialise.ts); the app takes nothing for
 * granted and reads them again here, since user code can send what it likes.
 */
export type ConsoleValue = ConsoleAtom | ConsoleObject;

export type ConsoleAtom =
  | { type: 'text'; text: string; style?: ConsoleStyle }
  | { type: 'string'; text: string; cut: number }
  | { type: PlainType; text: string }
  | { type: (typeof wordTypes)[number] }
  /** A property that only its getter knows; the handle runs it. */
  | { type: 'getter'; handle: number };

type PlainType = (typeof plainTypes)[number];
/** `node` is a text or comment of a document; `stack` the way to a call of `console.trace`. */
const plainTypes = [
  'number',
  'bigint',
  'boolean',
  'symbol',
  'date',
  'regexp',
  'node',
  'stack',
] as const;
/** `repeated` is an object within itself, `empty` a place of an array without a value. */
const wordTypes = ['undefined', 'null', 'repeated', 'unreadable', 'empty'] as const;

/** Something that opens. */
export type ConsoleObject =
  | ({ type: (typeof objectTypes)[number] } & Insides)
  | ({ type: 'error'; message: string; stack: string } & Insides);

const objectTypes = ['object', 'array', 'map', 'set', 'function', 'class', 'element'] as const;

interface Insides {
  /** Its class; the head of a function; the opening tag of an element. */
  name: string;
  /** How many members there are, whether they are here or not; a prototype does not count. */
  size: number;
  /** The first ones, as they were when it was logged. */
  members: ConsoleMember[];
  /** What the frame calls it when it is asked for the others; 0 when all are here. */
  handle: number;
}

export interface ConsoleMember {
  name: string;
  /** The key of a Map's entry, whose name is "". */
  key?: ConsoleValue;
  /** Not enumerable, or the prototype. */
  isHidden?: true;
  value: ConsoleValue;
}

/** What `%c` may set: nothing that loads, moves or covers. */
export type ConsoleStyle = Partial<Record<StyleProperty, string>>;
export type StyleProperty = keyof typeof styleValues;

/** A colour, a weight, a name: no long length can hide in it where one would count. */
const word = /^[\w\s#%.,()"'/-]{1,100}$/;
const length = String.raw`(?:[1-3]?\d(?:\.\d+)?px|[0-2]?(?:\.\d+)?r?em|0)`;
/** One to four lengths, none of them long: a label stays about where its line is. */
const lengths = new RegExp(`^${length}(?:\\s+${length}){0,3}$`);
const styleValues = {
  color: word,
  'background-color': word,
  'font-weight': word,
  'font-style': word,
  'font-size': lengths,
  'font-family': word,
  'text-decoration': /^[a-z\s-]{1,60}$/i,
  padding: lengths,
  margin: lengths,
  'border-radius': lengths,
} as const;

/** One entry costs at most this much, in characters of text and in values. */
export const valueLimits = {
  textCharacters: 10_000,
  entryCharacters: 64 * 1024,
  entryValues: 2_000,
  itemsPerValue: 100,
  /** What stands in one line: arguments, and texts between them that differ in style. */
  valuesPerLine: 500,
  depth: 5,
} as const;

/** A declaration list such as `color: red; background: url(x)` → `{ color: 'red' }`. */
export function parseStyle(declarations: string): ConsoleStyle {
  const style: ConsoleStyle = {};
  for (const declaration of declarations.slice(0, 1_000).split(';')) {
    const colon = declaration.indexOf(':');
    const property = findStyleProperty(declaration.slice(0, colon).trim().toLowerCase());
    const value = declaration.slice(colon + 1).trim();
    if (property && isHarmless(property, value)) style[property] = value;
  }
  return style;
}

function findStyleProperty(name: string): StyleProperty | undefined {
  if (name === 'background') return 'background-color';
  return styleProperties.find((property) => property === name);
}

const styleProperties = Object.keys(styleValues).filter(
  (name): name is StyleProperty => name in styleValues,
);

function isHarmless(property: StyleProperty, value: string): boolean {
  return styleValues[property].test(value) && !/url|image|var|attr|env/i.test(value);
}

/** What is left to spend while one entry is read. */
interface Allowance {
  characters: number;
  values: number;
}

/** The values of one entry; undefined unless every one of them has a known shape and all fit. */
export function parseConsoleValues(input: unknown): ConsoleValue[] | undefined {
  const left = newAllowance();
  return parseAll(input, (value) => parseValue(value, left, 0), valueLimits.valuesPerLine);
}

/** One value, as an answer of the frame. */
export function parseConsoleValue(input: unknown): ConsoleValue | undefined {
  return parseValue(input, newAllowance(), 0);
}

/** Members of one object, as an answer of the frame. */
export function parseConsoleMembers(input: unknown): ConsoleMember[] | undefined {
  const left = newAllowance();
  return parseAll(input, (member) => parseMember(member, left, 0));
}

function newAllowance(): Allowance {
  return { characters: valueLimits.entryCharacters, values: valueLimits.entryValues };
}

function parseValue(input: unknown, left: Allowance, depth: number): ConsoleValue | undefined {
  left.values -= 1;
  if (left.values < 0 || depth > valueLimits.depth + 1 || !isRecord(input)) return undefined;
  const { type } = input;
  const wordType = wordTypes.find((name) => name === type);
  if (wordType) return { type: wordType };
  const plainType = plainTypes.find((name) => name === type);
  if (plainType) {
    const text = parseText(input['text'], left);
    return text === undefined ? undefined : { type: plainType, text };
  }
  switch (type) {
    case 'text':
      return parseStyledText(input, left);
    case 'string': {
      const [text, cut] = [parseText(input['text'], left), parseCount(input['cut'])];
      return text === undefined || cut === undefined ? undefined : { type: 'string', text, cut };
    }
    case 'getter': {
      const handle = parseCount(input['handle']);
      return handle === undefined ? undefined : { type: 'getter', handle };
    }
    default:
      return parseObject(input, left, depth);
  }
}

function parseStyledText(
  input: Record<string, unknown>,
  left: Allowance,
): ConsoleValue | undefined {
  const text = parseText(input['text'], left);
  if (text === undefined) return undefined;
  const style = parseStyleRecord(input['style'], left);
  return style ? { type: 'text', text, style } : { type: 'text', text };
}

function parseObject(
  input: Record<string, unknown>,
  left: Allowance,
  depth: number,
): ConsoleObject | undefined {
  const name = parseText(input['name'], left);
  const [size, handle] = [parseCount(input['size']), parseCount(input['handle'])];
  if (name === undefined || size === undefined || handle === undefined) return undefined;
  const members = parseAll(input['members'], (member) => parseMember(member, left, depth + 1));
  if (!members) return undefined;
  const type = objectTypes.find((candidate) => candidate === input['type']);
  if (type) return { type, name, size, members, handle };
  if (input['type'] !== 'error') return undefined;
  const [message, stack] = [parseText(input['message'], left), parseText(input['stack'], left)];
  if (message === undefined || stack === undefined) return undefined;
  return { type: 'error', name, message, stack, size, members, handle };
}

function parseMember(input: unknown, left: Allowance, depth: number): ConsoleMember | undefined {
  if (!isRecord(input)) return undefined;
  const name = parseText(input['name'], left);
  const value = parseValue(input['value'], left, depth);
  if (name === undefined || !value) return undefined;
  const member: ConsoleMember = { name, value };
  if (input['isHidden'] === true) member.isHidden = true;
  if (input['key'] === undefined) return member;
  const key = parseValue(input['key'], left, depth);
  return key && { ...member, key };
}

function parseAll<T>(
  input: unknown,
  parse: (item: unknown) => T | undefined,
  // One more than the items: an object's prototype comes after them.
  most = valueLimits.itemsPerValue + 1,
): T[] | undefined {
  if (!Array.isArray(input) || input.length > most) return undefined;
  const items: T[] = [];
  for (const item of input) {
    const parsed = parse(item);
    if (parsed === undefined) return undefined;
    items.push(parsed);
  }
  return items;
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
    if (value !== undefined && isHarmless(property, value)) style[property] = value;
  }
  return style;
}

export function parseCount(input: unknown): number | undefined {
  return typeof input === 'number' && Number.isSafeInteger(input) && input >= 0 ? input : undefined;
}

export function isRecord(input: unknown): input is Record<string, unknown> {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}
