/**
 * Records the option hooks that Preact calls from the first component on, to replay them for the refresh
 * runtime, which loads after the first paint.
 */
export interface ProjectPreact {
  options: Record<string, unknown>;
  Component: unknown;
}

/** Hooks before a component renders, after it rendered, and before it unmounts; `__b` is a mangled name. */
const recorded = ['__b', 'diffed', 'unmount'] as const;

export type PreactHooks = Readonly<Record<string, unknown>>;

/** Starts recording. Returns a function that installs the runtime's hooks and replays all calls so far. */
export function recordPreact({ options }: ProjectPreact): (hooks: PreactHooks) => void {
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
 * Renders in a microtask, so that an error is an uncaught error and not an unhandled rejection. Errors aren't
 * caught here, because browsers hide the details of errors in a cross-origin script, as ours may be. Preact 10
 * counts scheduled renders and schedules no more after one that threw, so the counter is reset.
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

/** Calls our hook, then the previous one. */
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
