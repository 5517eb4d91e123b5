/* oxlint-disable typescript/no-unnecessary-type-conversion, typescript/no-base-to-string --
   what a page throws has the types it likes, whatever is declared */
import type { RuntimeProblem, ThrownProblem } from '../problem-messages.ts';
import type { Connection } from './connection.ts';
import type { LogUncaught } from './console.ts';
import { createLoadErrors } from './load-errors.ts';
import { nowhere, type Positions } from './positions.ts';
import { isError as isErrorObject, isObject } from './shapes.ts';
import type { FailedOnPurpose } from './tool.ts';
import { followWorkers } from './workers.ts';

/** Problems told of one document; a page that fails in a loop says nothing new. */
const toldAtMost = 50;

export interface ProblemWatch {
  connection: Connection;
  positions: Positions;
  /** The path of the page. */
  page: () => string;
  onPurpose?: FailedOnPurpose;
  /** What is thrown and not caught is for the console, too. */
  logUncaught: LogUncaught;
  /** The window of a frame, whose own elements are not looked at. */
  target?: Window;
  /** Another realm hears of the errors: those of a worker go on to its page. */
  leavesErrors?: boolean;
}

/**
 * Tells of uncaught errors, unhandled rejections and files that did not load. Called again after
 * `document.open`, which takes listeners away; `isAgain` then, since observers stay.
 */
export function watchProblems(
  {
    connection,
    positions,
    page,
    onPurpose,
    logUncaught,
    target,
    leavesErrors = false,
  }: ProblemWatch,
  isAgain = false,
): void {
  let told = 0;
  const tell = (problem: RuntimeProblem) => {
    told += 1;
    if (told <= toldAtMost) connection.send({ type: 'problem', problem });
  };
  const onRule = (problem: ThrownProblem, thrown: unknown): ThrownProblem => {
    const failed = isObject(thrown) ? onPurpose?.calls.get(thrown) : undefined;
    const rule = failed?.rule ?? onPurpose?.ofServed(importedBy(problem.sentence));
    if (rule === undefined) return problem;
    const place = problem.path === '' ? failed?.place : {};
    return { ...problem, ...place, rule };
  };
  const loadErrors = createLoadErrors({
    positions,
    onPurpose,
    tell: (said) => tell({ ...said, page: page() }),
  });
  const tellError = (event: ErrorEvent) => {
    const problem = onRule(describeError(event, positions), event.error);
    logUncaught('Uncaught', event.error ?? wordsOf(event), problem);
    // Nothing failed: what its observers have still to hear comes with the next frame.
    if (!event.message.startsWith('ResizeObserver loop')) tell(problem);
  };
  const tellRejection = ({ promise, reason }: PromiseRejectionEvent) => {
    const place = findPlace(reason, positions);
    const rejection = nextRejection++;
    rejections.set(promise, rejection);
    logUncaught('Uncaught (in a promise)', reason, { ...place, rejection });
    if (isSkippedTransition(reason)) return;
    const said = { ...describeThrown(reason, positions), ...place, rejection };
    tell(onRule({ kind: 'rejection', ...said }, reason));
  };
  // A worker has no window, and is the target itself.
  const at: Pick<Window, 'addEventListener' | 'removeEventListener'> = target ?? globalThis;
  at.addEventListener(
    'error',
    (event: Event) => {
      if (leavesErrors) return;
      if (isErrorEvent(event)) return unlessHandled(at, event, () => tellError(event));
      if (event.target instanceof Element) loadErrors.note(event.target);
    },
    true,
  );
  at.addEventListener(
    'unhandledrejection',
    (event) => unlessHandled(at, event, () => tellRejection(event)),
    true,
  );
  at.addEventListener('rejectionhandled', ({ promise }) => {
    const rejection = rejections.get(promise);
    if (rejection !== undefined) connection.send({ type: 'rejection-handled', rejection });
  });
  if (isAgain || target) return;
  loadErrors.watchRequests();
  followWorkers((started) =>
    started.worker.addEventListener('error', (event) => {
      // What a worker throws has a message.
      if (!(event instanceof ErrorEvent)) loadErrors.noteWorker(started);
    }),
  );
}

/** Numbers of the rejections that were reported, for the case that they are handled later. */
const rejections = new WeakMap<Promise<unknown>, number>();
let nextRejection = 1;

/**
 * Calls `tell` behind the page's own listeners, unless one of them has handled the event by
 * `preventDefault()` or by an `onerror` that returns true. To be called in the capture phase.
 */
function unlessHandled(
  at: Pick<Window, 'addEventListener' | 'removeEventListener'>,
  event: Event,
  tell: () => void,
): void {
  let isDone = false;
  const finish = () => {
    if (isDone) return;
    isDone = true;
    at.removeEventListener(event.type, finish);
    if (!event.defaultPrevented) tell();
  };
  // The listeners of the bubble phase are collected when it begins: this one is their last.
  at.addEventListener(event.type, finish);
  // It is not called where one before it stops the propagation.
  setTimeout(finish);
}

/** Of this realm or of a frame's. */
function isErrorEvent(event: Event): event is ErrorEvent {
  return event instanceof ErrorEvent || 'lineno' in event;
}

/** Nothing failed: one that is begun, or a page that is left, before another ends shows its outcome at once. */
function isSkippedTransition(reason: unknown): boolean {
  return (
    reason instanceof DOMException &&
    reason.name === 'AbortError' &&
    /^Transition was skipped|ViewTransition/.test(reason.message)
  );
}

function describeError(event: ErrorEvent, positions: Positions): ThrownProblem {
  const place = placeOf(event, positions);
  // Of what a worker or another host's script has thrown, or nothing has, there are words alone.
  const { sentence, stack } = describeThrown(event.error ?? undefined, positions);
  return {
    kind: 'error',
    sentence: sentence === '' ? cut(wordsOf(event)) : sentence,
    stack,
    ...(place.path === '' ? findPlace(event.error, positions) : place),
  };
}

/** The address of a module that could not be imported, as Chromium and Firefox name it; or ''. */
function importedBy(sentence: string): string {
  return /dynamically imported module: (\S+)$/.exec(sentence)?.[1] ?? '';
}

/** "Uncaught TypeError: x is not a function" → "TypeError: x is not a function" */
function wordsOf({ message }: ErrorEvent): string {
  return message.replace(/^uncaught (?:exception: )?/i, '');
}

/** Of what is thrown in JSON.parse, Chromium names the page; of a thrown text sometimes no line. */
function placeOf({ error, filename, lineno, colno }: ErrorEvent, positions: Positions) {
  const thrown: unknown = error;
  const inStack = thrown instanceof SyntaxError ? findPlace(thrown, positions) : nowhere;
  if (inStack.path !== '' || lineno === 0) return inStack;
  return positions.find(filename, lineno, colno);
}

/** Anything can be thrown, and any of it can fail when it is looked at. */
function describeThrown(
  thrown: unknown,
  positions: Positions,
): { sentence: string; stack: string } {
  try {
    if (!isError(thrown))
      return { sentence: thrown === undefined ? '' : cut(showThrown(thrown)), stack: '' };
    return {
      sentence: cut(`${String(thrown.name)}: ${String(thrown.message)}`),
      stack: positions.clean(String(thrown.stack ?? '')),
    };
  } catch {
    // A throwing getter or a revoked proxy.
    return { sentence: 'something that cannot be read', stack: '' };
  }
}

/** Errors of the browser (an AbortError, say) are no `Error` in every browser. */
function isError(thrown: unknown): thrown is Error {
  return thrown instanceof DOMException || (isObject(thrown) && isErrorObject(thrown));
}

/** "boom" → “boom”, { a: 1 } → {"a":1} */
function showThrown(thrown: unknown): string {
  if (typeof thrown === 'string') return `“${thrown}”`;
  const shown = String(thrown);
  return shown === '[object Object]' ? (JSON.stringify(thrown) ?? shown) : shown;
}

function findPlace(thrown: unknown, positions: Positions) {
  try {
    return isError(thrown) ? positions.findInStack(String(thrown.stack ?? '')) : nowhere;
  } catch {
    // As above.
    return nowhere;
  }
}

function cut(text: string): string {
  return text.slice(0, 1_000);
}
