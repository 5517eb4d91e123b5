import { isRecord } from '@vitrine/project';

/**
 * Console values: plain trees that describe a JavaScript value, similar to remote objects with a preview.
 * The frame creates them from what user code logs (frame/value-serializer.ts); the host validates them again here,
 * since user code can send anything.
 */
export type ConsoleValue = PrimitiveConsoleValue | ConsoleObject;

type PrimitiveConsoleValue =
  | { type: 'text'; text: string; style?: ConsoleStyle }
  | { type: 'string'; text: string; cut: number }
  | { type: PlainType; text: string }
  | { type: (typeof constantTypes)[number] }
  /** A property with a getter; the handle runs it. */
  | { type: 'getter'; handle: number };

type PlainType = (typeof plainTypes)[number];
/** `node` is a text node or comment; `stack` the stack trace of a `console.trace` call. */
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
/** `repeated` is a circular reference, `empty` a hole in an array. */
const constantTypes = ['undefined', 'null', 'repeated', 'unreadable', 'empty'] as const;

/** An object that can be expanded. */
export type ConsoleObject =
  | ({ type: (typeof objectTypes)[number] } & ObjectFields)
  | ({ type: 'error'; message: string; stack: string } & ObjectFields);

const objectTypes = ['object', 'array', 'map', 'set', 'function', 'class', 'element'] as const;

interface ObjectFields {
  /** Class name; for a function its signature, for an element its start tag. */
  name: string;
  /** Number of all members, included or not; the prototype doesn't count. */
  size: number;
  /** The first members, as of the time of logging. */
  members: ConsoleMember[];
  /** Object id for requesting the other members; 0 if all are included. */
  handle: number;
}

export interface ConsoleMember {
  name: string;
  /** Key of a Map entry, whose `name` is "". */
  key?: ConsoleValue;
  /** Set for non-enumerable properties and the prototype. */
  isHidden?: true;
  value: ConsoleValue;
}

/** Styles that `%c` may set: nothing that loads a resource, moves or covers content. */
export type ConsoleStyle = Partial<Record<StyleProperty, string>>;
type StyleProperty = keyof typeof styleValues;

/** Colors, weights and names. Allows no long lengths where a length is possible. */
const word = /^[\w\s#%.,()"'/-]{1,100}$/;
const length = String.raw`(?:[1-3]?\d(?:\.\d+)?px|[0-2]?(?:\.\d+)?r?em|0)`;
/** One to four short lengths, so that styled text stays within its line. */
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

/** Limits of one log entry, in UTF-16 units of text and in values. */
export const valueLimits = {
  textCharacters: 10_000,
  entryCharacters: 64 * 1024,
  entryValues: 2_000,
  itemsPerValue: 100,
  /** Values in one line: arguments, and differently styled texts between them. */
  valuesPerLine: 500,
  depth: 5,
} as const;

/** Parses CSS declarations: `color: red; background: url(x)` → `{ color: 'red' }`. */
export function parseStyle(declarations: string): ConsoleStyle {
  const style: ConsoleStyle = {};
  for (const declaration of declarations.slice(0, 1_000).split(';')) {
    const colon = declaration.indexOf(':');
    const property = findStyleProperty(declaration.slice(0, colon).trim().toLowerCase());
    const value = declaration.slice(colon + 1).trim();
    if (property && isSafe(property, value)) style[property] = value;
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

function isSafe(property: StyleProperty, value: string): boolean {
  return styleValues[property].test(value) && !/url|image|var|attr|env/i.test(value);
}

/** Remaining limits while one entry is parsed. */
interface Budget {
  characters: number;
  values: number;
}

/** Parses the values of one entry; undefined unless all are valid and within the limits. */
export function parseConsoleValues(input: unknown): ConsoleValue[] | undefined {
  const budget = createBudget();
  return parseAll(input, (value) => parseValue(value, budget, 0), valueLimits.valuesPerLine);
}

/** Parses one value of a response. */
export function parseConsoleValue(input: unknown): ConsoleValue | undefined {
  return parseValue(input, createBudget(), 0);
}

/** Parses the members of one object in a response. */
export function parseConsoleMembers(input: unknown): ConsoleMember[] | undefined {
  const budget = createBudget();
  return parseAll(input, (member) => parseMember(member, budget, 0));
}

function createBudget(): Budget {
  return { characters: valueLimits.entryCharacters, values: valueLimits.entryValues };
}

function parseValue(input: unknown, budget: Budget, depth: number): ConsoleValue | undefined {
  budget.values -= 1;
  if (budget.values < 0 || depth > valueLimits.depth + 1 || !isRecord(input)) return undefined;
  const { type } = input;
  const constantType = constantTypes.find((name) => name === type);
  if (constantType) return { type: constantType };
  const plainType = plainTypes.find((name) => name === type);
  if (plainType) {
    const text = parseText(input['text'], budget);
    return text === undefined ? undefined : { type: plainType, text };
  }
  switch (type) {
    case 'text':
      return parseStyledText(input, budget);
    case 'string': {
      const [text, cut] = [parseText(input['text'], budget), parseCount(input['cut'])];
      return text === undefined || cut === undefined ? undefined : { type: 'string', text, cut };
    }
    case 'getter': {
      const handle = parseCount(input['handle']);
      return handle === undefined ? undefined : { type: 'getter', handle };
    }
    default:
      return parseObject(input, budget, depth);
  }
}

function parseStyledText(input: Record<string, unknown>, budget: Budget): ConsoleValue | undefined {
  const text = parseText(input['text'], budget);
  if (text === undefined) return undefined;
  const style = parseStyleRecord(input['style'], budget);
  return style ? { type: 'text', text, style } : { type: 'text', text };
}

function parseObject(
  input: Record<string, unknown>,
  budget: Budget,
  depth: number,
): ConsoleObject | undefined {
  const name = parseText(input['name'], budget);
  const [size, handle] = [parseCount(input['size']), parseCount(input['handle'])];
  if (name === undefined || size === undefined || handle === undefined) return undefined;
  const members = parseAll(input['members'], (member) => parseMember(member, budget, depth + 1));
  if (!members) return undefined;
  const type = objectTypes.find((candidate) => candidate === input['type']);
  if (type) return { type, name, size, members, handle };
  if (input['type'] !== 'error') return undefined;
  const [message, stack] = [parseText(input['message'], budget), parseText(input['stack'], budget)];
  if (message === undefined || stack === undefined) return undefined;
  return { type: 'error', name, message, stack, size, members, handle };
}

function parseMember(input: unknown, budget: Budget, depth: number): ConsoleMember | undefined {
  if (!isRecord(input)) return undefined;
  const name = parseText(input['name'], budget);
  const value = parseValue(input['value'], budget, depth);
  if (name === undefined || !value) return undefined;
  const member: ConsoleMember = { name, value };
  if (input['isHidden'] === true) member.isHidden = true;
  if (input['key'] === undefined) return member;
  const key = parseValue(input['key'], budget, depth);
  return key && { ...member, key };
}

function parseAll<T>(
  input: unknown,
  parse: (item: unknown) => T | undefined,
  // One more than the items, for the prototype at the end.
  maxItems = valueLimits.itemsPerValue + 1,
): T[] | undefined {
  if (!Array.isArray(input) || input.length > maxItems) return undefined;
  const items: T[] = [];
  for (const item of input) {
    const parsed = parse(item);
    if (parsed === undefined) return undefined;
    items.push(parsed);
  }
  return items;
}

function parseText(input: unknown, budget: Budget): string | undefined {
  if (typeof input !== 'string' || input.length > valueLimits.textCharacters) return undefined;
  budget.characters -= input.length;
  return budget.characters < 0 ? undefined : input;
}

function parseStyleRecord(input: unknown, budget: Budget): ConsoleStyle | undefined {
  if (!isRecord(input)) return undefined;
  const style: ConsoleStyle = {};
  for (const property of styleProperties) {
    const value = Object.hasOwn(input, property) ? parseText(input[property], budget) : undefined;
    if (value !== undefined && isSafe(property, value)) style[property] = value;
  }
  return style;
}

export function parseCount(input: unknown): number | undefined {
  return typeof input === 'number' && Number.isSafeInteger(input) && input >= 0 ? input : undefined;
}
