/* oxlint-disable typescript/no-base-to-string -- what a page logs has the types it likes */
import {
  parseStyle,
  valueLimits,
  type ConsoleStyle,
  type ConsoleValue,
} from '../../console-values.ts';
import type { SourceLocation, ConsoleEntry, ConsoleMethod } from '../../protocol.ts';
import type { Connection } from '../connection.ts';
import { createConsoleQueue, type ConsoleQueue } from './console-queue.ts';
import { unknownLocation, type PositionMap } from '../positions.ts';
import {
  createValueSerializer,
  type ValueSerializer,
  type SerializationContext,
  type LogUncaught,
} from './value-serializer.ts';
import { isObject } from './shapes.ts';

/** Maximum number of values of one call shown in its line; the others follow in a list. */
const maxValues = valueLimits.valuesPerLine - 1;

/**
 * Reports what user code logs and leaves the browser's console unchanged. Entries are sent one by one and
 * synchronously, so that those of code that never returns arrive too.
 */
export function watchConsole(
  connection: Connection,
  positions: PositionMap,
  serializationContext: SerializationContext,
): LogUncaught {
  const queue = createConsoleQueue({
    send: (entry) => connection.send({ type: 'console', entry }),
    onDropped: (count) => connection.send({ type: 'dropped', count }),
  });
  serializationContext.flush = () => queue.flush();
  serializationContext.observeConsole = (target, realm) =>
    watchRealmConsole({ console: target, queue, positions, serializationContext, realm });
  serializationContext.queueEntry = (entry) => {
    const characters = JSON.stringify(entry.values).length;
    queue.push(entry.method === 'error', () => ({ entry, characters }));
  };
  return watchRealmConsole({ console, queue, positions, serializationContext });
}

/** Location of an entry, and what it reports. */
type EntryLocation = SourceLocation & Pick<ConsoleEntry, 'rejection' | 'isUncaught'>;

interface RealmConsole {
  /** Console of this page or of a frame in it. */
  console: Console;
  queue: ConsoleQueue;
  positions: PositionMap;
  serializationContext: SerializationContext;
  /** Name of the frame. */
  realm?: string;
}

function watchRealmConsole({
  console: target,
  queue,
  positions,
  serializationContext,
  realm,
}: RealmConsole): LogUncaught {
  const send = (
    method: ConsoleMethod,
    values: (serializer: ValueSerializer) => ConsoleValue[],
    location?: EntryLocation,
    isLasting = false,
  ) => {
    // Objects may change before the entry is sent, so they are serialized now; texts and the stack don't change.
    const time = Date.now();
    const call = location ? undefined : new Error();
    const serialize = () => {
      const serializer = createValueSerializer(serializationContext);
      return { values: values(serializer), characters: serializer.characters() };
    };
    const early = isLasting ? undefined : serialize();
    queue.push(method === 'error', () => {
      const { path, line, column, rejection, isUncaught } =
        location ?? callLocation(call, positions);
      const { values: made, characters } = early ?? serialize();
      const more = {
        ...(rejection !== undefined && { rejection }),
        ...(realm !== undefined && { realm }),
        ...(isUncaught === true && { isUncaught }),
      };
      return { entry: { method, values: made, time, path, line, column, ...more }, characters };
    });
  };
  const sendAll = (method: ConsoleMethod) => (args: unknown[]) =>
    send(
      method,
      (serializer) => formatArguments(args, serializer),
      undefined,
      !args.some(isObject),
    );
  const sendGroup = (method: ConsoleMethod) => (args: unknown[]) =>
    sendAll(method)(args.length > 0 ? args : ['console.group']);
  const sendText = (method: ConsoleMethod, text: string) =>
    send(method, (serializer) => [{ type: 'text', text: serializer.text(text) }]);

  const handlers: ConsoleHandlers = {
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
      serializationContext.objects.clear();
      send('clear', () => []);
    },
    trace(args) {
      const stack = serializationContext
        .cleanStack(new Error().stack ?? '')
        .replace(/^Error\n/, '');
      send('trace', (serializer) => [
        ...formatArguments(args.length > 0 ? args : ['console.trace'], serializer),
        { type: 'stack', text: serializer.text(stack) },
      ]);
    },
    dir: ([value]) => send('dir', (serializer) => [serializer.serialize(value, true)]),
    table: ([value, columns]) =>
      send('table', (serializer) => [
        serializer.serialize(value),
        ...(Array.isArray(columns) ? [serializer.serialize(columns)] : []),
      ]),
    assert([condition, ...rest]) {
      if (condition) return;
      const [format, ...values] = rest;
      const words =
        typeof format === 'string'
          ? [`Assertion failed: ${format}`, ...values]
          : ['Assertion failed', ...rest];
      send('error', (serializer) => formatArguments(words, serializer));
    },
    ...createCounters(sendText),
    ...createTimers(sendText, (text, rest) =>
      send('log', (serializer) => [
        { type: 'text', text: serializer.text(text) },
        ...rest.map((value) => serializer.serialize(value)),
      ]),
    ),
  };
  for (const [name, handler] of Object.entries(handlers)) wrap(target, name, handler);
  return (words, thrown, location) =>
    withoutThrowing(() =>
      send('error', (serializer) => [{ type: 'text', text: words }, serializer.serialize(thrown)], {
        ...location,
        isUncaught: true,
      }),
    );
}

/** Functions by their name in `console`, with the arguments of a call. */
type ConsoleHandlers = Record<string, (args: unknown[]) => void>;

type SendText = (method: ConsoleMethod, text: string) => void;

function createCounters(sendText: SendText): ConsoleHandlers {
  const counts = new Map<string, number>();
  return {
    count([label]) {
      const name = labelOf(label);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      sendText('log', `${name}: ${counts.get(name)}`);
    },
    countReset([label]) {
      const name = labelOf(label);
      if (!counts.delete(name)) sendText('warn', `No counter named “${name}”.`);
    },
  };
}

function createTimers(
  sendText: SendText,
  sendTime: (text: string, rest: unknown[]) => void,
): ConsoleHandlers {
  /** Start times by label, as of `performance.now()`. */
  const timers = new Map<string, number>();
  const logTime = (label: string, rest: unknown[]) => {
    const since = timers.get(label);
    if (since === undefined) sendText('warn', `No timer named “${label}”.`);
    else sendTime(`${label}: ${(performance.now() - since).toFixed(2)} ms`, rest);
  };
  return {
    time([label]) {
      const name = labelOf(label);
      if (timers.has(name)) sendText('warn', `Timer “${name}” is already running.`);
      else timers.set(name, performance.now());
    },
    timeLog: ([label, ...rest]) => logTime(labelOf(label), rest),
    timeEnd([label]) {
      logTime(labelOf(label), []);
      timers.delete(labelOf(label));
    },
  };
}

function wrap(target: Console, name: string, handler: (args: unknown[]) => void): void {
  const native: unknown = Reflect.get(target, name);
  if (typeof native !== 'function') return;
  Reflect.set(target, name, (...args: unknown[]) => {
    Reflect.apply(native, target, args);
    withoutThrowing(() => handler(args));
  });
}

function withoutThrowing(log: () => void): void {
  try {
    log();
  } catch {
    // Logging must not throw, whatever is logged and whatever user code did to this realm.
  }
}

function labelOf(value: unknown): string {
  return value === undefined ? 'default' : String(value).slice(0, 200);
}

/** Location of the console call: the first frame of the stack below our own. */
function callLocation(call: Error | undefined, positions: PositionMap): EntryLocation {
  const stack = call?.stack;
  return stack === undefined ? unknownLocation : positions.findInStack(stack);
}

/** Applies format specifiers: "%s is %d" and values → one text. `%c` starts a styled text; other values follow. */
function formatArguments(args: unknown[], serializer: ValueSerializer): ConsoleValue[] {
  const [format, ...rest] = args;
  if (typeof format !== 'string' || !format.includes('%')) return serializeAll(args, serializer);
  const values: ConsoleValue[] = [];
  let style: ConsoleStyle | undefined;
  // Only as much as fits into an entry.
  const isLong = format.length > valueLimits.entryCharacters;
  for (const part of format.slice(0, valueLimits.entryCharacters).split(/(%[sdifoOc%])/)) {
    if (part === '') continue;
    if (part === '%%') pushText('%');
    else if (!/^%[sdifoOc]$/.test(part) || rest.length === 0) pushText(part);
    else if (part === '%c') style = parseStyle(String(rest.shift()));
    else pushValue(part, rest.shift());
  }
  if (isLong) pushText('…');
  const left = maxValues - 1 - Math.min(values.length, maxValues - 1);
  const cut: ConsoleValue[] = values.length < maxValues ? [] : [{ type: 'text', text: '…' }];
  return [...values.slice(0, maxValues - 1), ...cut, ...serializeAll(rest, serializer, left)];

  function pushText(whole: string): void {
    for (let at = 0; at < whole.length; at += valueLimits.textCharacters) {
      const text = serializer.text(whole.slice(at, at + valueLimits.textCharacters));
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
      values.push(serializer.serialize(value));
    else pushText(formatOne(kind, value));
  }
}

/** Serializes values. Those beyond the limit of a line become an expandable list: "20 more […]" */
function serializeAll(
  values: readonly unknown[],
  serializer: ValueSerializer,
  max = maxValues,
): ConsoleValue[] {
  const shown = values.slice(0, max).map((value) => serializer.serialize(value));
  const rest = values.slice(max);
  if (rest.length === 0) return shown;
  const list = serializer.serialize(rest);
  return [...shown, 'name' in list ? { ...list, name: `${rest.length} more` } : list];
}

/** Formats one value. Objects aren't converted, because that would run the page's code. */
function formatOne(kind: string, value: unknown): string {
  if (kind === '%s') return String(value);
  if (typeof value === 'symbol' || typeof value === 'object') return 'NaN';
  if (typeof value === 'bigint') return kind === '%f' ? String(Number(value)) : `${value}n`;
  const text = String(value);
  return String(kind === '%f' ? Number.parseFloat(text) : Number.parseInt(text, 10));
}
