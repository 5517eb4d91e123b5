/**
 * What Preact tells its options, recorded from the first component on and told once more to the
 * refresh runtime, which is loaded when the page has long been painted.
 */
export interface Preact {
  options: Record<string, unknown>;
  Component: unknown;
}

/** Before a component is rendered, after it, and when it goes; the first has a shortened name. */
const recorded = ['__b', 'diffed', 'unmount'] as const;

export type PreactHooks = Readonly<Record<string, unknown>>;

/** Returns what puts the runtime's own functions into the options, and tells it all so far. */
export function recordPreact({ options }: Preact): (hooks: PreactHooks) => void {
  let calls: [name: string, args: unknown[]][] | undefined = [];
  for (const name of recorded) chain(options, name, (...args) => calls?.push([name, args]));
  options['debounceRendering'] ??= renderSoon;
  return (hooks) => {
    for (const [name, args] of calls ?? []) call(hooks[name], args);
    calls = undefined;
    for (const name of Object.keys(hooks))
      if (name !== 'debounceRendering') chain(options, name, (...args) => call(hooks[name], args));
  };
}

/**
 * In a microtask, where what is thrown is an error, and not by a promise, which it would reject.
 * It is not caught here: of what a script of another origin throws nothing is told, as ours may be.
 * Preact 10 counts the turns that were asked for, and asks for none after one that threw.
 */
function renderSoon(process: { (): void; __r?: number }): void {
  queueMicrotask(() => {
    try {
      process();
    } finally {
      process.__r = 0;
    }
  });
}

/** Calls ours first, then what was there. */
function chain(
  options: Record<string, unknown>,
  name: string,
  ours: (...args: unknown[]) => unknown,
): void {
  const before = options[name];
  options[name] = (...args: unknown[]) => {
    ours(...args);
    return call(before, args);
  };
}

function call(callback: unknown, args: unknown[]): unknown {
  return typeof callback === 'function' ? Reflect.apply(callback, undefined, args) : undefined;
}
