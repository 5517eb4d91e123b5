/**
 * Requests of the host's console to the document, and its responses. User code shares the realm that responds,
 * so the host parses every response (P-09) and only displays it (P-25). P-… are rules in docs/protocol.md.
 */
import { isRecord } from '@vitrine/project';
import {
  parseConsoleMembers,
  parseConsoleValue,
  parseCount,
  type ConsoleMember,
  type ConsoleValue,
} from './console-values.ts';

/** host → frame, in a `console-request` message. */
export type ConsoleRequest =
  /** Get properties of a logged object, starting at index `from`. */
  | { kind: 'open'; handle: number; from: number }
  /** Run a getter. */
  | { kind: 'get'; handle: number }
  /**
   * Evaluate code in the page's global scope. With `awaits`, the value is a promise, and the response
   * is what it resolves to.
   */
  | { kind: 'evaluate'; code: string; awaits: boolean }
  /** Get property names of the object at a property path from the global object; getters aren't run. */
  | { kind: 'complete'; path: string[] }
  /** The console was cleared: logged objects can be released. */
  | { kind: 'forget' };

/** frame → host, in a `console-response` message. */
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

/** Maximum number of names in a response, and maximum length of a name. */
export const completionLimits = { maxNames, maxNameLength } as const;
