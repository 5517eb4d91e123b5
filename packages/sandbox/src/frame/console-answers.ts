/**
 * Answers what the app's console asks of the page. A script of its own, loaded with the first
 * question: opening a page does not pay for it.
 */
import type { ConsoleAnswer, ConsoleAsk } from '../console-messages.ts';
import { findNames } from './global-names.ts';
import type { Handles } from './handles.ts';
import type { Serialiser } from './serialise.ts';

export type AnswerAsk = typeof answerAsk;

/** What the frame's script has already. */
export interface FrameTools {
  handles: Handles;
  createSerialiser(): Serialiser;
  targetOf(value: object): object;
}

export async function answerAsk(
  ask: Exclude<ConsoleAsk, { kind: 'forget' }>,
  { handles, createSerialiser, targetOf }: FrameTools,
): Promise<ConsoleAnswer> {
  const tell = (value: unknown, isThrown: boolean): ConsoleAnswer => ({
    kind: 'value',
    value: createSerialiser().serialise(value),
    isThrown,
  });
  switch (ask.kind) {
    case 'open': {
      const kept = handles.find(ask.handle);
      if (!kept) return { kind: 'gone' };
      return { kind: 'members', ...createSerialiser().open(kept.object, ask.from, kept.asObject) };
    }
    case 'get': {
      const kept = handles.find(ask.handle);
      if (!kept?.getter) return { kind: 'gone' };
      try {
        return tell(Reflect.apply(kept.getter, kept.object, []), false);
      } catch (thrown) {
        return tell(thrown, true);
      }
    }
    case 'evaluate':
      try {
        const value = runTyped(ask.code);
        const result = ask.awaits ? await value : value;
        rememberLast(result);
        return tell(result, false);
      } catch (thrown) {
        return tell(thrown, true);
      }
    case 'complete':
      return { kind: 'names', names: findNames(ask.path, { run: runGlobally, targetOf }) };
  }
}

/** What code at the prompt may use as in a browser's own console. */
const lent: Readonly<Record<string, unknown>> = {
  $: (selector: string) => document.querySelector(selector),
  $$: (selector: string) => [...document.querySelectorAll(selector)],
  // oxlint-disable-next-line no-console -- the page’s, as its own code clears it
  clear: () => console.clear(),
};

/** Lends for this run what the page has not got itself. */
function runTyped(code: string): unknown {
  const names = Object.keys(lent).filter((name) => !(name in globalThis));
  for (const name of names)
    Object.defineProperty(globalThis, name, {
      value: lent[name],
      configurable: true,
      writable: true,
    });
  try {
    return runGlobally(code);
  } finally {
    // What the code has put in its place is the page's.
    for (const name of names)
      if (Reflect.get(globalThis, name) === lent[name]) Reflect.deleteProperty(globalThis, name);
  }
}

/** As a script of the page: not in the scope of this one. */
function runGlobally(code: string): unknown {
  // oxlint-disable-next-line no-eval -- it is what a prompt is for
  const run = globalThis.eval;
  return run(code);
}

/** `$_` is the last result, unless the page has something of that name. */
function rememberLast(value: unknown): void {
  const present = Object.getOwnPropertyDescriptor(globalThis, '$_');
  if (present && present.enumerable) return;
  Object.defineProperty(globalThis, '$_', { value, configurable: true, writable: true });
}
