/* oxlint-disable typescript/no-base-to-string -- what a page logs has the types it likes */
import { parseStyle, type ConsoleStyle, type ConsoleValue } from '../console-values.ts';
import type { CodePlace, ConsoleMethod } from '../protocol.ts';
import type { Connection } from './connection.ts';
import { nowhere, type Positions } from './positions.ts';
import { createSerialiser, type Serialiser, type Surroundings } from './serialise.ts';

/** A burst of this many entries is sent at once; after that, so many a second. P-22 */
const burst = 300;
const perSecond = 100;
/** Long entries count for more. */
const charactersPerToken = 1_000;
const tellDroppedEveryMs = 250;

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
  const allowance = createAllowance((count) => connection.send({ type: 'dropped', count }));
  const counts = new Map<string, number>();
  const timers = new Map<string, number>();

  const send = (
    method: ConsoleMethod,
    values: (serialiser: Serialiser) => ConsoleValue[],
    { path, line, column, rejection }: CodePlace & { rejection?: number } = callPlace(positions),
  ) => {
    if (!allowance.take()) return;
    const serialiser = createSerialiser(surroundings);
    const entry = {
      method,
      values: values(serialiser),
      time: Date.now(),
      path,
      line,
      column,
      ...(rejection !== undefined && { rejection }),
    };
    allowance.charge(serialiser.characters() / charactersPerToken);
    connection.send({ type: 'console', entry });
  };
  const sendAll = (method: ConsoleMethod) => (args: unknown[]) =>
    send(method, (serialiser) => formatArguments(args, serialiser));
  const sendGroup = (method: ConsoleMethod) => (args: unknown[]) =>
    sendAll(method)(args.length > 0 ? args : ['console.group']);
  const sendText = (method: ConsoleMethod, text: string) =>
    send(method, (serialiser) => [{ type: 'text', text: serialiser.text(text) }]);
  const sayTime = (label: string, rest: unknown[]) => {
    const since = timers.get(label);
    if (since === undefined) return sendText('warn', `There is no timer “${label}”.`);
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
      if (!counts.delete(name)) sendText('warn', `There is no count “${name}”.`);
    },
    time([label]) {
      const name = labelOf(label);
      if (timers.has(name)) sendText('warn', `The timer “${name}” is running already.`);
      else timers.set(name, performance.now());
    },
    timeLog: ([label, ...rest]) => sayTime(labelOf(label), rest),
    timeEnd([label]) {
      sayTime(labelOf(label), []);
      timers.delete(labelOf(label));
    },
  };
  for (const [name, hear] of Object.entries(heard)) wrap(name, hear);
  return (words, thrown, place) =>
    quietly(() =>
      send(
        'error',
        (serialiser) => [{ type: 'text', text: words }, serialiser.serialise(thrown)],
        place,
      ),
    );
}

function wrap(name: string, hear: (args: unknown[]) => void): void {
  const native: unknown = Reflect.get(console, name);
  if (typeof native !== 'function') return;
  Reflect.set(console, name, (...args: unknown[]) => {
    Reflect.apply(native, console, args);
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
function callPlace(positions: Positions) {
  const { stack } = new Error();
  return stack === undefined ? nowhere : positions.findInStack(stack);
}

/** "%s is %d" with values → one text; `%c` begins a text of another style; the rest follow. */
function formatArguments(args: unknown[], serialiser: Serialiser): ConsoleValue[] {
  const [format, ...rest] = args;
  if (typeof format !== 'string' || !format.includes('%'))
    return args.slice(0, 50).map((value) => serialiser.serialise(value));
  const values: ConsoleValue[] = [];
  let style: ConsoleStyle | undefined;
  for (const part of format.slice(0, 10_000).split(/(%[sdifoOc%])/)) {
    if (part === '') continue;
    if (part === '%%') pushText('%');
    else if (!/^%[sdifoOc]$/.test(part) || rest.length === 0) pushText(part);
    else if (part === '%c') style = parseStyle(String(rest.shift()));
    else pushValue(part, rest.shift());
  }
  return [...values, ...rest.slice(0, 50).map((value) => serialiser.serialise(value))];

  function pushText(text: string): void {
    const last = values.at(-1);
    if (last?.type === 'text' && last.style === style) last.text += serialiser.text(text);
    else values.push({ type: 'text', text: serialiser.text(text), ...(style && { style }) });
  }

  function pushValue(kind: string, value: unknown): void {
    const isObject = typeof value === 'object' && value !== null;
    if (kind === '%o' || kind === '%O' || (kind === '%s' && isObject))
      values.push(serialiser.serialise(value));
    else pushText(formatOne(kind, value));
  }
}

/** Of objects nothing is asked, since what they say of themselves is the page's code. */
function formatOne(kind: string, value: unknown): string {
  if (kind === '%s') return String(value);
  if (typeof value === 'symbol' || typeof value === 'object') return 'NaN';
  if (typeof value === 'bigint') return kind === '%f' ? String(Number(value)) : `${value}n`;
  const text = String(value);
  return String(kind === '%f' ? Number.parseFloat(text) : Number.parseInt(text, 10));
}

/** A token bucket; entries above it are counted and the count told now and then. */
function createAllowance(tellDropped: (count: number) => void): {
  take(): boolean;
  charge(tokens: number): void;
} {
  let tokens = burst;
  let filledAt = performance.now();
  let dropped = 0;
  let toldAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const tell = () => {
    clearTimeout(timer);
    timer = undefined;
    if (dropped > 0) tellDropped(dropped);
    dropped = 0;
    toldAt = performance.now();
  };

  return {
    take() {
      const now = performance.now();
      tokens = Math.min(burst, tokens + ((now - filledAt) / 1000) * perSecond);
      filledAt = now;
      if (tokens >= 1) {
        tokens -= 1;
        return true;
      }
      dropped += 1;
      // Code that never returns lets no timer run.
      if (now - toldAt > tellDroppedEveryMs) tell();
      else timer ??= setTimeout(tell, tellDroppedEveryMs);
      return false;
    },
    charge(more) {
      tokens -= more;
    },
  };
}
