/** What Vue's runtime says behind an error that came of an update. */
const lastWords =
  '[HMR] Something went wrong during Vue component hot-reload. Full reload required.';

/**
 * Puts an update in, and throws what it throws: Vue's runtime catches that, and tells nobody but the
 * console.
 */
export function putIn(update: () => unknown): unknown {
  // Pages without Vue keep their console as it is.
  if (!('__VUE_HMR_RUNTIME__' in globalThis)) return update();
  const { error, warn } = console;
  const failures: unknown[] = [];
  let logged: unknown;
  Object.assign(console, {
    error(...args: unknown[]) {
      [logged] = args;
      error(...args);
    },
    warn(...args: unknown[]) {
      if (args[0] === lastWords) failures.push(logged);
      else warn(...args);
    },
  });
  try {
    const answer = update();
    if (failures.length > 0) throw failures[0];
    return answer;
  } finally {
    Object.assign(console, { error, warn });
  }
}
