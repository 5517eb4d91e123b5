/* oxlint-disable typescript/no-unnecessary-type-conversion, typescript/no-base-to-string --
   what a page throws has the types it likes, whatever is declared */
import type { RuntimeError, UncaughtError } from '../runtime-error-messages.ts';
import type { Connection } from './connection.ts';
import { createLoadErrors, type LoadErrors } from './load-errors.ts';
import { findRefusal } from './permissions.ts';
import { unknownLocation, type PositionMap } from './positions.ts';
import { isError as isErrorObject, isObject } from './console/shapes.ts';
import type { RuleFailures } from './tools/tool.ts';
import { onWorkerStarted } from './workers/workers.ts';
import type { LogUncaught } from './console/value-serializer.ts';

/** Maximum number of errors reported per document. */
const maxReports = 50;

export interface ErrorReporting {
  connection: Connection;
  positions: PositionMap;
  /** Path of the page. */
  page: () => string;
  ruleFailures?: RuleFailures;
  /** Logs uncaught errors to the console too. */
  logUncaught: LogUncaught;
  /** Window of a nested frame; load errors of its elements aren't reported. */
  target?: Window;
  /** Another realm reports the errors: those of a dedicated worker propagate to its page. */
  leavesErrors?: boolean;
}

/**
 * Reports uncaught errors, unhandled rejections and files that failed to load. Called again after
 * `document.open`, which removes listeners; with `isAgain` then, because observers stay.
 */
export function watchErrors(
  {
    connection,
    positions,
    page,
    ruleFailures,
    logUncaught,
    target,
    leavesErrors = false,
  }: ErrorReporting,
  isAgain = false,
): void {
  let reported = 0;
  const report = (problem: RuntimeError) => {
    reported += 1;
    if (reported <= maxReports) connection.send({ type: 'problem', problem });
  };
  const withRule = (problem: UncaughtError, thrown: unknown): UncaughtError => {
    const permission = findRefusal(thrown);
    if (permission !== undefined) return { ...problem, permission };
    const failed = isObject(thrown) ? ruleFailures?.byError.get(thrown) : undefined;
    const rule = failed?.rule ?? ruleFailures?.findServedRule(importedUrl(problem.message));
    if (rule === undefined) return problem;
    const location = problem.path === '' ? failed?.location : {};
    return { ...problem, ...location, rule };
  };
  const loadErrors = createLoadErrors({
    positions,
    ruleFailures,
    report: (error) => report({ ...error, page: page() }),
    withdraw(addresses) {
      reported -= addresses.length;
      connection.send({ type: 'load-errors-withdrawn', addresses });
    },
  });
  const reportError = (event: ErrorEvent) => {
    const problem = withRule(describeError(event, positions), event.error);
    logUncaught('Uncaught', event.error ?? messageOf(event), problem);
    // Not an error: its observers are notified in the next frame.
    if (!event.message.startsWith('ResizeObserver loop')) report(problem);
  };
  const reportRejection = ({ promise, reason }: PromiseRejectionEvent) => {
    const location = findLocation(reason, positions);
    const rejection = nextRejection++;
    rejections.set(promise, rejection);
    logUncaught('Uncaught (in a promise)', reason, { ...location, rejection });
    if (isSkippedTransition(reason)) return;
    const described = { ...describeThrownValue(reason, positions), ...location, rejection };
    report(withRule({ kind: 'rejection', ...described }, reason));
  };
  // A worker has no window and is the event target itself.
  const at: Pick<Window, 'addEventListener' | 'removeEventListener'> = target ?? globalThis;
  at.addEventListener(
    'error',
    (event: Event) => {
      if (leavesErrors) return;
      if (isErrorEvent(event)) return unlessHandled(at, event, () => reportError(event));
      if (event.target instanceof Element) loadErrors.reportElement(event.target);
    },
    true,
  );
  at.addEventListener(
    'unhandledrejection',
    (event) => unlessHandled(at, event, () => reportRejection(event)),
    true,
  );
  at.addEventListener('rejectionhandled', ({ promise }) => {
    const rejection = rejections.get(promise);
    if (rejection !== undefined) connection.send({ type: 'rejection-handled', rejection });
  });
  if (target) return;
  watched.push(loadErrors);
  if (isAgain) return;
  loadErrors.watchRequests();
  onWorkerStarted((started) =>
    started.worker.addEventListener('error', (event) => {
      // Errors thrown in a worker are ErrorEvents; a load failure is a plain Event.
      if (!(event instanceof ErrorEvent)) loadErrors.reportWorker(started);
    }),
  );
}

/** Load errors of the document, once for each time that it was opened. */
const watched: LoadErrors[] = [];

/** Withdraws load errors that the document no longer has. Call when it has changed in place. */
export function withdrawOutdatedErrors(): void {
  // An image selects its new URL in a microtask.
  setTimeout(() => watched.forEach((loadErrors) => loadErrors.withdrawOutdated()));
}

/** Numbers of the reported rejections, in case they are handled later. */
const rejections = new WeakMap<Promise<unknown>, number>();
let nextRejection = 1;

/**
 * Calls `report` after the page's own listeners, unless one of them has handled the event with
 * `preventDefault()` or an `onerror` that returns true. Has to be called in the capture phase.
 */
function unlessHandled(
  at: Pick<Window, 'addEventListener' | 'removeEventListener'>,
  event: Event,
  report: () => void,
): void {
  let isDone = false;
  const finish = () => {
    if (isDone) return;
    isDone = true;
    at.removeEventListener(event.type, finish);
    if (!event.defaultPrevented) report();
  };
  // Listeners of the bubble phase are collected when it starts, so this one is the last.
  at.addEventListener(event.type, finish);
  // Fallback for a listener that stops the propagation.
  setTimeout(finish);
}

/** Whether the event is an ErrorEvent, of this realm or a nested frame's. */
function isErrorEvent(event: Event): event is ErrorEvent {
  return event instanceof ErrorEvent || 'lineno' in event;
}

/** Whether a rejection only reports a skipped view transition, which is not a failure. */
function isSkippedTransition(reason: unknown): boolean {
  return (
    reason instanceof DOMException &&
    reason.name === 'AbortError' &&
    /^Transition was skipped|ViewTransition/.test(reason.message)
  );
}

function describeError(event: ErrorEvent, positions: PositionMap): UncaughtError {
  const location = locationOf(event, positions);
  // Errors of workers and cross-origin scripts, and a thrown undefined, have only a message.
  const { message, stack } = describeThrownValue(event.error ?? undefined, positions);
  return {
    kind: 'error',
    message: message === '' ? truncate(messageOf(event)) : message,
    stack: addLocation(stack, event),
    ...(location.path === '' ? findLocation(event.error, positions) : location),
  };
}

/** Adds the event's location to a stack without any: that of a module which can't be linked. */
function addLocation(stack: string, { filename, lineno, colno }: ErrorEvent): string {
  const isComplete = stack === '' || filename === '' || /:\d+:\d+/.test(stack);
  return isComplete ? stack : `${stack}\n    at ${filename}:${lineno}:${colno}`;
}

/** URL of a module whose `import()` failed, from Chromium's or Firefox's message; or ''. */
function importedUrl(message: string): string {
  return /dynamically imported module: (\S+)$/.exec(message)?.[1] ?? '';
}

/** Message without prefix: "Uncaught TypeError: x is not a function" → "TypeError: x is not a function" */
function messageOf({ message }: ErrorEvent): string {
  return message.replace(/^uncaught (?:exception: )?/i, '');
}

/** Location of an error. Chromium reports the page for errors of JSON.parse, and sometimes no line for a thrown string. */
function locationOf({ error, filename, lineno, colno }: ErrorEvent, positions: PositionMap) {
  const thrown: unknown = error;
  const inStack = thrown instanceof SyntaxError ? findLocation(thrown, positions) : unknownLocation;
  if (inStack.path !== '' || lineno === 0) return inStack;
  return positions.find(filename, lineno, colno);
}

/** Describes a thrown value. Any value can be thrown, and reading it may throw again. */
function describeThrownValue(
  thrown: unknown,
  positions: PositionMap,
): { message: string; stack: string } {
  try {
    if (!isError(thrown))
      return {
        message: thrown === undefined ? '' : truncate(formatThrownValue(thrown)),
        stack: '',
      };
    return {
      message: truncate(`${String(thrown.name)}: ${String(thrown.message)}`),
      stack: positions.cleanStack(String(thrown.stack ?? '')),
    };
  } catch {
    // A throwing getter or a revoked proxy.
    return { message: 'An unreadable value', stack: '' };
  }
}

/** Whether a value is an error. DOMExceptions aren't instances of `Error` in every browser. */
function isError(thrown: unknown): thrown is Error {
  return thrown instanceof DOMException || (isObject(thrown) && isErrorObject(thrown));
}

/** Text of a thrown value that isn't an error: "boom" → “boom”, { a: 1 } → {"a":1} */
function formatThrownValue(thrown: unknown): string {
  if (typeof thrown === 'string') return `“${thrown}”`;
  const shown = String(thrown);
  return shown === '[object Object]' ? (JSON.stringify(thrown) ?? shown) : shown;
}

function findLocation(thrown: unknown, positions: PositionMap) {
  try {
    return isError(thrown) ? positions.findInStack(String(thrown.stack ?? '')) : unknownLocation;
  } catch {
    // A throwing getter or a revoked proxy.
    return unknownLocation;
  }
}

function truncate(text: string): string {
  return text.slice(0, 1_000);
}
