/** What Vue's runtime says behind an error that came of an update. */
const lastWords =
  '[HMR] Something went wrong during Vue component hot-reload. Full reload required.';

/**
 * Puts an update in, and throws what it throws: Vue's runtime catches that, and tells nobody but the
 * console. That is told by whoever catches it here, with its place.
 */
export function putIn(update: () => unknown): unknown {
  // Pages without Vue keep their console as it is.
  if (!('__VUE_HMR_RUNTIME__' in globalThis)) return update();
  const { error, warn } = console;
  const failures: unknown[] = [];
  /** An error that is logged with nothing else: Vue's, if its last words come behind it. */
  let held: unknown[] = [];
  const letGo = () => {
    if (held.length > 0) error(...held);
    held = [];
  };
  Object.assign(console, {
    error(...args: unknown[]) {
      letGo();
      if (args.length === 1) held = args;
      else error(...args);
    },
    warn(...args: unknown[]) {
      if (args[0] === lastWords) failures.push(...held.splice(0));
      else {
        letGo();
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
    letGo();
  }
}
