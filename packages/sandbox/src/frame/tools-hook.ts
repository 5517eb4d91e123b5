/**
 * What React tells developer tools, recorded from its first root on, so that React's refresh runtime
 * can be loaded when the page has long been painted. If such tools are there, they hear it too.
 */

/** The part of `__REACT_DEVTOOLS_GLOBAL_HOOK__` that refreshing needs. */
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

/** Returns what tells everything once more, to whoever has put himself into the hook since. */
export function recordReact(): () => void {
  const hook = window.__REACT_DEVTOOLS_GLOBAL_HOOK__ ?? offerHook();
  let isRecording = true;
  /** By root, what was said of it last. */
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

/** Not enumerable, so that a page that looks through its window does not meet it. */
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
