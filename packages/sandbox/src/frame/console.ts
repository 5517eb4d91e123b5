/* oxlint-disable typescript/no-base-to-string -- what a page logs has the types it likes */
import {
  parseStyle,
  valueLimits,
  type ConsoleStyle,
  type ConsoleValue,
} from '../console-values.ts';
import type { CodePlace, ConsoleMethod } from '../protocol.ts';
import type { Connection } from './connection.ts';
import { createConsoleQueue, type ConsoleQueue } from './console-queue.ts';
import { nowhere, type Positions } from './positions.ts';
import { createSerialiser, type Serialiser, type Surroundings } from './serialise.ts';
import { isObject } from './shapes.ts';

/** As many values of one call stand in its line; the rest are in a list behind them. */
const mostValues = valueLimits.valuesPerLine - 1;

/** Logs what was thrown and not caught, behind the words for it; `rejection` is its number. */
export type LogUncaught = (
  words: string,
  thrown: unknown,
  place: CodePlace & { rejection?: number },
) => void;

/**
 * Tells the app what user code logs, and leaves the browser's own console as it was. Entries go one
 * by one and at once, so that those of code that never returns are seen too.
 */
export function watchConsole(
  connection: Connection,
  positions: Positions,
  surroundings: Surroundings,
): LogUncaught {
  const queue = createConsoleQueue({
    send: (entry) => connection.send({ type: 'console', entry }),
    tellDropped: (count) => connection.send({ type: 'dropped', count }),
  });
  surroundings.flush = () => queue.flush();
  surroundings.adopt = (target, realm) =>
    watchRealmConsole({ console: target, queue, positions, surroundings, realm });
  surroundings.pass = (entry) => {
    const characters = JSON.stringify(entry.values).length;
    queue.push(entry.method === 'error', () => ({ entry, characters }));
  };
  return watchRealmConsole({ console, queue, positions, surroundings });
}

interface RealmConsole {
  /** That of this page, or of a frame in it. */
  console: Console;
  queue: ConsoleQueue;
  positions: Positions;
  surroundings: Surroundings;
  /** Names the frame. */
  realm?: string;
}

function watchRealmConsole({
  console: target,
  queue,
  positions,
  surroundings,
  realm,
}: RealmConsole): LogUncaught {
  const counts = new Map<string, number>();
  const timers = new Map<string, number>();

  const send = (
    method: ConsoleMethod,
    values: (serialiser: Serialiser) => ConsoleValue[],
    place?: CodePlace & { rejection?: number },
    isLasting = false,
  ) => {
    // What is in objects may be another by the time that it is sent; texts and the stack are not.
    const time = Date.now();
    const call = place ? undefined : new Error();
    const serialise = () => {
      const serialiser = createSerialiser(surroundings);
      return { values: values(serialiser), characters: serialiser.characters() };
    };
    const early = isLasting ? undefined : serialise();
    queue.push(method === 'error', () => {
      const { path, line, column, rejection } = place ?? callPlace(call, positions);
      const { values: made, characters } = early ?? serialise();
      const more = {
        ...(rejection !== undefined && { rejection }),
        ...(realm !== undefined && { realm }),
      };
      return { entry: { method, values: made, time, path, line, column, ...more }, characters };
    });
  };
  const sendAll = (method: ConsoleMethod) => (args: unknown[]) =>
    send(
      method,
      (serialiser) => formatArguments(args, serialiser),
      undefined,
      !args.some(isObject),
    );
  const sendGroup = (method: ConsoleMethod) => (args: unknown[]) =>
    sendAll(method)(args.length > 0 ? args : ['console.group']);
  const sendText = (method: ConsoleMethod, text: string) =>
    send(method, (serialiser) => [{ type: 'text', text: serialiser.text(text) }]);
  const sayTime = (label: string, rest: unknown[]) => {
    const since = timers.get(label);
    if (since === undefined) return sendText('warn', `No timer named “${label}”.`);
    const text = `${label}: ${(performance.now() - since).toFixed(2)} ms`;
    send('log', (serialiser) => [
      { type: 'text', text: serialiser.text(text) },
      ...rest.map((value) => serialiser.serialise(value)),
    ]);
  };

  const heard: Record<string, (args: unknown[]) => void> = {
    log: sendAll('log'),
    info: sendAll('info'),
    warn: sendAll('warn'),
    error: sendAll('error'),
    debug: sendAll('debug'),
    dirxml: sendAll('log'),
    group: sendGroup('group'),
    groupCollapsed: sendGroup('groupCollapsed'),
    groupEnd: () => send('groupEnd', () => []),
    clear() {
      queue.clear();
      surroundings.handles.forget();
      send('clear', () => []);
    },
    trace(args) {
      const stack = surroundings.cleanStack(new Error().stack ?? '').replace(/^Error\n/, '');
      send('trace', (serialiser) => [
        ...formatArguments(args.length > 0 ? args : ['console.trace'], serialiser),
        { type: 'stack', text: serialiser.text(stack) },
      ]);
    },
    dir: ([value]) => send('dir', (serialiser) => [serialiser.serialise(value, true)]),
    table: ([value, columns]) =>
      send('table', (serialiser) => [
        serialiser.serialise(value),
        ...(Array.isArray(columns) ? [serialiser.serialise(columns)] : []),
      ]),
    assert([condition, ...rest]) {
      if (condition) return;
      const [format, ...values] = rest;
      const words =
        typeof format === 'string'
          ? [`Assertion failed: ${format}`, ...values]
          : ['Assertion failed', ...rest];
      send('error', (serialiser) => formatArguments(words, serialiser));
    },
    count([label]) {
      const name = labelOf(label);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      sendText('log', `${name}: ${counts.get(name)}`);
    },
    countReset([label]) {
      const name = labelOf(label);
      if (!counts.delete(name)) sendText('warn', `No counter named “${name}”.`);
    },
    time([label]) {
      const name = labelOf(label);
      if (timers.has(name)) sendText('warn', `Timer “${name}” is already running.`);
      else timers.set(name, performance.now());
    },
    timeLog: ([label, ...rest]) => sayTime(labelOf(label), rest),
    timeEnd([label]) {
      sayTime(labelOf(label), []);
      timers.delete(labelOf(label));
    },
  };
  for (const [name, hear] of Object.entries(heard)) wrap(target, name, hear);
  return (words, thrown, place) =>
    quietly(() =>
      send(
        'error',
        (serialiser) => [{ type: 'text', text: words }, serialiser.serialise(thrown)],
        place,
      ),
    );
}

function wrap(target: Console, name: string, hear: (args: unknown[]) => void): void {
  const native: unknown = Reflect.get(target, name);
  if (typeof native !== 'function') return;
  Reflect.set(target, name, (...args: unknown[]) => {
    Reflect.apply(native, target, args);
    quietly(() => hear(args));
  });
}

function quietly(log: () => void): void {
  try {
    log();
  } catch {
    // Logging must not throw, whatever is logged and whatever user code did to this realm.
  }
}

function labelOf(value: unknown): string {
  return value === undefined ? 'default' : String(value).slice(0, 200);
}

/** Where the console was called, from the stack below our own frames. */
function callPlace(
  call: Error | undefined,
  positions: Positions,
): CodePlace & { rejection?: number } {
  const stack = call?.stack;
  return stack === undefined ? nowhere : positions.findInStack(stack);
}

/** "%s is %d" with values → one text; `%c` begins a text of another style; the rest follow. */
function formatArguments(args: unknown[], serialiser: Serialiser): ConsoleValue[] {
  const [format, ...rest] = args;
  if (typeof format !== 'string' || !format.includes('%')) return serialiseAll(args, serialiser);
  const values: ConsoleValue[] = [];
  let style: ConsoleStyle | undefined;
  // No more of it than an entry holds.
  const isLong = format.length > valueLimits.entryCharacters;
  for (const part of format.slice(0, valueLimits.entryCharacters).split(/(%[sdifoOc%])/)) {
    if (part === '') continue;
    if (part === '%%') pushText('%');
    else if (!/^%[sdifoOc]$/.test(part) || rest.length === 0) pushText(part);
    else if (part === '%c') style = parseStyle(String(rest.shift()));
    else pushValue(part, rest.shift());
  }
  if (isLong) pushText('…');
  const left = mostValues - 1 - Math.min(values.length, mostValues - 1);
  const cut: ConsoleValue[] = values.length < mostValues ? [] : [{ type: 'text', text: '…' }];
  return [...values.slice(0, mostValues - 1), ...cut, ...serialiseAll(rest, serialiser, left)];

  function pushText(whole: string): void {
    for (let at = 0; at < whole.length; at += valueLimits.textCharacters) {
      const text = serialiser.text(whole.slice(at, at + valueLimits.textCharacters));
      const last = values.at(-1);
      const fits =
        last?.type === 'text' &&
        last.style === style &&
        last.text.length + text.length <= valueLimits.textCharacters;
      if (fits) last.text += text;
      else values.push({ type: 'text', text, ...(style && { style }) });
    }
  }

  function pushValue(kind: string, value: unknown): void {
    const isObject = typeof value === 'object' && value !== null;
    if (kind === '%o' || kind === '%O' || (kind === '%s' && isObject))
      values.push(serialiser.serialise(value));
    else pushText(formatOne(kind, value));
  }
}

/** The values, those that are too many for a line in a list that opens: "20 more […]" */
function serialiseAll(
  values: readonly unknown[],
  serialiser: Serialiser,
  most = mostValues,
): ConsoleValue[] {
  const shown = values.slice(0, most).map((value) => serialiser.serialise(value));
  const rest = values.slice(most);
  if (rest.length === 0) return shown;
  const list = serialiser.serialise(rest);
  return [...shown, 'name' in list ? { ...list, name: `${rest.length} more` } : list];
}

/** Of objects nothing is asked, since what they say of themselves is the page's code. */
function formatOne(kind: string, value: unknown): string {
  if (kind === '%s') return String(value);
  if (typeof value === 'symbol' || typeof value === 'object') return 'NaN';
  if (typeof value === 'bigint') return kind === '%f' ? String(Number(value)) : `${value}n`;
  const text = String(value);
  return String(kind === '%f' ? Number.parseFloat(text) : Number.parseInt(text, 10));
}
