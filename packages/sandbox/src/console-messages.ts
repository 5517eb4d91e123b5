/**
 * What the host asks of a document for its console, and what it answers. User code shares the realm
 * of whoever answers there, so hosts read every answer with the parser below (P-09), and nothing in
 * it has any effect but to be shown (P-25).
 */
import {
  isRecord,
  parseConsoleMembers,
  parseConsoleValue,
  parseCount,
  type ConsoleMember,
  type ConsoleValue,
} from './console-values.ts';

/** host → frame, in a `console-ask` message. */
export type ConsoleAsk =
  /** The members of an object that was logged, from the one with this index on. */
  | { kind: 'open'; handle: number; from: number }
  /** Run a getter. */
  | { kind: 'get'; handle: number }
  /** Run code in the page's global scope; with `awaits` its value is a promise of the result. */
  | { kind: 'evaluate'; code: string; awaits: boolean }
  /** Names of what an object has, found by properties from the global object on, without getters. */
  | { kind: 'complete'; path: string[] }
  /** The console was cleared: what was logged is not asked for any more. */
  | { kind: 'forget' };

/** frame → host, in a `console-answer` message. */
export type ConsoleAnswer =
  | { kind: 'members'; size: number; members: ConsoleMember[] }
  | { kind: 'value'; value: ConsoleValue; isThrown: boolean }
  | { kind: 'names'; names: string[] }
  /** The object is not kept any more, or the document that had it has gone. */
  | { kind: 'gone' };

const mostNames = 2_000;
const nameCharacters = 200;

export function parseConsoleAnswer(input: unknown): ConsoleAnswer | undefined {
  if (!isRecord(input)) return undefined;
  switch (input['kind']) {
    case 'members': {
      const [size, members] = [parseCount(input['size']), parseConsoleMembers(input['members'])];
      return size === undefined || !members ? undefined : { kind: 'members', size, members };
    }
    case 'value': {
      const value = parseConsoleValue(input['value']);
      return value && { kind: 'value', value, isThrown: input['isThrown'] === true };
    }
    case 'names': {
      const names = parseNames(input['names']);
      return names && { kind: 'names', names };
    }
    case 'gone':
      return { kind: 'gone' };
    default:
      return undefined;
  }
}

function parseNames(input: unknown): string[] | undefined {
  if (!Array.isArray(input) || input.length > mostNames) return undefined;
  const isName = (name: unknown) => typeof name === 'string' && name.length <= nameCharacters;
  return input.every((name): name is string => isName(name)) ? input : undefined;
}

/** How many names a frame may offer, and how long. */
export const nameLimits = { most: mostNames, characters: nameCharacters } as const;
