import type { PositionMap } from './positions.ts';
import { onWorkerStarted } from './workers/workers.ts';

/** Files of the project that this document has requested. */
export interface Usage {
  /** Adds a file that was loaded without a resource timing. */
  add(this: void, path: string): void;
  /** Whether the page may use any of these files: it requested one, or that can't be known. */
  mayUse(paths: readonly string[]): boolean;
}

/** Starts observing. `onLate`: a file reported as unused had already been requested, and its old text arrived. */
export function watchUsage(positions: PositionMap, onLate: () => void): Usage {
  const used = new Set<string>();
  /** Time at which a path was last reported as unused. */
  const reportedUnused = new Map<string, number>();
  let hasWorker = false;
  const addEntries = (entries: PerformanceEntryList) => {
    for (const { name, startTime } of entries) {
      const path = positions.pathOf(name);
      used.add(path);
      if (startTime < (reportedUnused.get(path) ?? 0)) onLate();
    }
  };
  const observer = new PerformanceObserver((list) => addEntries(list.getEntries()));
  observer.observe({ type: 'resource', buffered: true });
  // Requests of a worker aren't in this document's resource timings.
  onWorkerStarted(() => (hasWorker = true));
  return {
    add: (path) => void used.add(path),
    mayUse(paths) {
      addEntries(observer.takeRecords());
      if (hasWorker || paths.some((path) => used.has(path))) return true;
      for (const path of paths) reportedUnused.set(path, performance.now());
      return false;
    },
  };
}
