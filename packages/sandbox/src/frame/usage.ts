import type { Positions } from './positions.ts';

/** Which files of the project this document has asked for. */
export interface Usage {
  /** Whether any of these could show in the page: asked for, or not to be known. */
  mayUse(paths: readonly string[]): boolean;
}

export function watchUsage(positions: Positions): Usage {
  const used = new Set<string>();
  let hasWorker = false;
  const observer = new PerformanceObserver((list) => {
    for (const { name } of list.getEntries()) used.add(positions.pathOf(name));
  });
  observer.observe({ type: 'resource', buffered: true });
  // What a worker asks for is not in this document's list.
  for (const name of ['Worker', 'SharedWorker'] as const) {
    const native: unknown = Reflect.get(window, name);
    if (typeof native !== 'function') continue;
    const watched = new Proxy(native, {
      construct(target, args, newTarget) {
        hasWorker = true;
        const made: unknown = Reflect.construct(target, args, newTarget);
        return Object(made);
      },
    });
    Reflect.set(window, name, watched);
  }
  return {
    mayUse(paths) {
      for (const { name } of observer.takeRecords()) used.add(positions.pathOf(name));
      return hasWorker || paths.some((path) => used.has(path));
    },
  };
}
