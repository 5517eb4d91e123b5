/**
 * Responds to console requests of the app. A script of its own, loaded with the first request, so that opening a
 * page doesn't pay for it.
 */
import type { ConsoleResponse, ConsoleRequest } from '../../console-messages.ts';
import { findMemberNames } from '../global-names.ts';
import type { ObjectTable } from './object-table.ts';
import type { ValueSerializer } from './value-serializer.ts';

export type RespondToRequest = typeof respondToRequest;

/** Parts of the frame's main script that requests need. */
interface ConsoleServices {
  handles: ObjectTable;
  createSerializer(): ValueSerializer;
  targetOf(value: object): object;
}

export async function respondToRequest(
  request: Exclude<ConsoleRequest, { kind: 'forget' }>,
  { handles, createSerializer, targetOf }: ConsoleServices,
): Promise<ConsoleResponse> {
  const describeResult = (value: unknown, isThrown: boolean): ConsoleResponse => ({
    kind: 'value',
    value: createSerializer().serialize(value),
    isThrown,
  });
  switch (request.kind) {
    case 'open': {
      const entry = handles.find(request.handle);
      if (!entry) return { kind: 'gone' };
      return {
        kind: 'members',
        ...createSerializer().expand(entry.object, request.from, entry.asObject),
      };
    }
    case 'get': {
      const entry = handles.find(request.handle);
      if (!entry?.getter) return { kind: 'gone' };
      try {
        return describeResult(Reflect.apply(entry.getter, entry.object, []), false);
      } catch (thrown) {
        return describeResult(thrown, true);
      }
    }
    case 'evaluate':
      try {
        const value = evaluateInput(request.code);
        const result = request.awaits ? await value : value;
        storeLastResult(result);
        return describeResult(result, false);
      } catch (thrown) {
        return describeResult(thrown, true);
      }
    case 'complete':
      return {
        kind: 'names',
        names: findMemberNames(request.path, { evaluate: evaluateGlobally, targetOf }),
      };
  }
}

/** Console utilities, as in a browser's own console. */
const utilities: Readonly<Record<string, unknown>> = {
  $: (selector: string) => document.querySelector(selector),
  $$: (selector: string) => [...document.querySelectorAll(selector)],
  // oxlint-disable-next-line no-console -- the page’s, as its own code clears it
  clear: () => console.clear(),
};

/** Evaluates code with those console utilities that the page doesn't define itself. */
function evaluateInput(code: string): unknown {
  const names = Object.keys(utilities).filter((name) => !(name in globalThis));
  for (const name of names)
    Object.defineProperty(globalThis, name, {
      value: utilities[name],
      configurable: true,
      writable: true,
    });
  try {
    return evaluateGlobally(code);
  } finally {
    // A utility that the code has overwritten now belongs to the page.
    for (const name of names)
      if (Reflect.get(globalThis, name) === utilities[name])
        Reflect.deleteProperty(globalThis, name);
  }
}

/** Evaluates code in the global scope, not in the scope of this script. */
function evaluateGlobally(code: string): unknown {
  // oxlint-disable-next-line no-eval -- it is what a prompt is for
  const run = globalThis.eval;
  return run(code);
}

/** Sets `$_` to the last result, unless the page has an enumerable property of that name. */
function storeLastResult(value: unknown): void {
  const present = Object.getOwnPropertyDescriptor(globalThis, '$_');
  if (present && present.enumerable) return;
  Object.defineProperty(globalThis, '$_', { value, configurable: true, writable: true });
}
