/**
 * Records what React reports to its DevTools hook, from its first root on, so that React's refresh runtime can load
 * after the first paint. If React DevTools is installed, it still receives everything.
 */

/** The part of `__REACT_DEVTOOLS_GLOBAL_HOOK__` that Fast Refresh needs. */
interface Hook {
  renderers: Map<number, unknown>;
  supportsFiber: boolean;
  inject(renderer: unknown): number;
  onScheduleFiberRoot?(...args: unknown[]): void;
  onCommitFiberRoot(...args: unknown[]): void;
  onCommitFiberUnmount(): void;
}

declare global {
  interface Window {
    __REACT_DEVTOOLS_GLOBAL_HOOK__?: Hook;
  }
}

/** Starts recording. Returns a function that replays everything to whatever has patched the hook since. */
export function recordReactHook(): () => void {
  const hook = window.__REACT_DEVTOOLS_GLOBAL_HOOK__ ?? offerHook();
  let isRecording = true;
  /** Last call per root. */
  const scheduled = new Map<unknown, unknown[]>();
  const committed = new Map<unknown, unknown[]>();
  const { onScheduleFiberRoot: schedule, onCommitFiberRoot: commit } = hook;
  hook.onScheduleFiberRoot = function (...args) {
    if (isRecording) scheduled.set(args[1], args);
    schedule?.apply(hook, args);
  };
  hook.onCommitFiberRoot = function (...args) {
    if (isRecording) committed.set(args[1], args);
    commit.apply(hook, args);
  };
  return () => {
    isRecording = false;
    for (const args of scheduled.values()) hook.onScheduleFiberRoot?.(...args);
    for (const args of committed.values()) hook.onCommitFiberRoot(...args);
    scheduled.clear();
    committed.clear();
  };
}

/** Defines the hook, not enumerable so that a page that lists its globals doesn't see it. */
function offerHook(): Hook {
  const value = createHook();
  const name = '__REACT_DEVTOOLS_GLOBAL_HOOK__';
  Object.defineProperty(window, name, { value, writable: true, configurable: true });
  return value;
}

function createHook(): Hook {
  const renderers = new Map<number, unknown>();
  return {
    renderers,
    supportsFiber: true,
    inject(renderer) {
      const id = renderers.size + 1;
      renderers.set(id, renderer);
      return id;
    },
    onCommitFiberRoot() {},
    onCommitFiberUnmount() {},
  };
}
