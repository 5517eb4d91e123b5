/* oxlint-disable typescript/no-unnecessary-type-conversion, typescript/no-base-to-string --
   what a page throws has the types it likes, whatever is declared */
import type { RuntimeProblem } from '../protocol.ts';
import type { Connection } from './connection.ts';
import { nowhere, type Positions } from './positions.ts';

/** Problems told of one document; a page that fails in a loop says nothing new. */
const toldAtMost = 50;

/** Tells of uncaught errors, unhandled rejections and files that did not load. */
export function watchProblems(connection: Connection, positions: Positions): void {
  let told = 0;
  const tell = (problem: RuntimeProblem) => {
    told += 1;
    if (told <= toldAtMost) connection.send({ type: 'problem', problem });
  };
  addEventListener(
    'error',
    (event: Event) => {
      if (event instanceof ErrorEvent) tell(describeError(event, positions));
      else tell(describeMissing(event.target, positions));
    },
    true,
  );
  addEventListener('unhandledrejection', ({ reason }) => {
    const { sentence, stack } = describeThrown(reason, positions);
    const place = findPlace(reason, positions);
    tell({
      kind: 'rejection',
      sentence: `Nobody caught a rejection: ${sentence}`,
      stack,
      ...place,
    });
  });
}

function describeError(event: ErrorEvent, positions: Positions): RuntimeProblem {
  const place = positions.find(event.filename, event.lineno, event.colno);
  const { sentence, stack } = describeThrown(event.error, positions);
  return {
    kind: 'error',
    sentence: sentence === '' ? cut(event.message) : sentence,
    stack,
    ...(place.path === '' ? findPlace(event.error, positions) : place),
  };
}

/** Anything can be thrown, and any of it can fail when it is looked at. */
function describeThrown(
  thrown: unknown,
  positions: Positions,
): { sentence: string; stack: string } {
  try {
    if (!(thrown instanceof Error))
      return { sentence: thrown === undefined ? '' : cut(String(thrown)), stack: '' };
    return {
      sentence: cut(`${String(thrown.name)}: ${String(thrown.message)}`),
      stack: positions.clean(String(thrown.stack ?? '')),
    };
  } catch {
    // A throwing getter or a revoked proxy.
    return { sentence: 'Something was thrown that cannot be read.', stack: '' };
  }
}

function findPlace(thrown: unknown, positions: Positions) {
  try {
    return thrown instanceof Error ? positions.findInStack(String(thrown.stack ?? '')) : nowhere;
  } catch {
    // As above.
    return nowhere;
  }
}

function describeMissing(target: EventTarget | null, positions: Positions): RuntimeProblem {
  const address = addressOf(target);
  const path = positions.pathOf(address);
  const name = path === '' ? address : path;
  const sentence = `${cut(name) || 'A file'} could not be loaded.`;
  return { kind: 'resource', sentence, stack: '', ...nowhere };
}

function addressOf(target: EventTarget | null): string {
  if (target instanceof HTMLLinkElement) return target.href;
  if (target instanceof HTMLImageElement || target instanceof HTMLScriptElement) return target.src;
  if (target instanceof HTMLMediaElement || target instanceof HTMLSourceElement) return target.src;
  return '';
}

function cut(text: string): string {
  return text.slice(0, 1_000);
}
