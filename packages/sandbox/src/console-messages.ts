/**
 * Requests of the host for its console, and the document's responses. User code shares the realm in which
 * they are answered, so the host parses every response (P-09) and does nothing with it but show it (P-25).
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
export type ConsoleRequest =
  /** Members of a logged object, starting at index `from`. */
  | { kind: 'open'; handle: number; from: number }
  /** Run a getter. */
  | { kind: 'get'; handle: number }
  /** Evaluate code in the page's global scope. With `awaits`, its value is a promise of the result. */
  | { kind: 'evaluate'; code: string; awaits: boolean }
  /** Member names of the object at a property path from the global object; getters aren't run. */
  | { kind: 'complete'; path: string[] }
  /** The console was cleared: logged objects can be released. */
  | { kind: 'forget' };

/** frame → host, in a `console-answer` message. */
export type ConsoleResponse =
  | { kind: 'members'; size: number; members: ConsoleMember[] }
  | { kind: 'value'; value: ConsoleValue; isThrown: boolean }
  | { kind: 'names'; names: string[] }
  /** The object has been released, or its document is gone. */
  | { kind: 'gone' };

const maxNames = 2_000;
const maxNameLength = 200;

export function parseConsoleResponse(input: unknown): ConsoleResponse | undefined {
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
  if (!Array.isArray(input) || input.length > maxNames) return undefined;
  const isName = (name: unknown) => typeof name === 'string' && name.length <= maxNameLength;
  return input.every((name): name is string => isName(name)) ? input : undefined;
}

/** Most names in a response, and the longest name. */
export const completionLimits = { most: maxNames, characters: maxNameLength } as const;
