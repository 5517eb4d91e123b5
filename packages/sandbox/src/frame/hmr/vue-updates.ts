/** Vue's warning after an error in an update. */
const vueWarning =
  '[HMR] Something went wrong during Vue component hot-reload. Full reload required.';

/**
 * Applies an update and rethrows an error that Vue's runtime catches and only logs. The caller reports the error with
 * its location.
 */
export function applyVueUpdate(update: () => unknown): unknown {
  // Pages without Vue keep their console unchanged.
  if (!('__VUE_HMR_RUNTIME__' in globalThis)) return update();
  const { error, warn } = console;
  const failures: unknown[] = [];
  /** Arguments of an error logged on its own; it is Vue's if Vue's warning follows. */
  let held: unknown[] = [];
  const logHeld = () => {
    if (held.length > 0) error(...held);
    held = [];
  };
  Object.assign(console, {
    error(...args: unknown[]) {
      logHeld();
      if (args.length === 1) held = args;
      else error(...args);
    },
    warn(...args: unknown[]) {
      if (args[0] === vueWarning) failures.push(...held.splice(0));
      else {
        logHeld();
        warn(...args);
      }
    },
  });
  try {
    const answer = update();
    if (failures.length > 0) throw failures[0];
    return answer;
  } finally {
    Object.assign(console, { error, warn });
    logHeld();
  }
}
