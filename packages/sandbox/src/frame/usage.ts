import type { Positions } from './positions.ts';
import { followWorkers } from './workers.ts';

/** Which files of the project this document has asked for. */
export interface Usage {
  /** It got this one, of which the browser does not tell. */
  add(this: void, path: string): void;
  /** Whether any of these could show in the page: asked for, or not to be known. */
  mayUse(paths: readonly string[]): boolean;
}

/** `onLate`: a file that seemed unused had been asked for, and its old text has come since. */
export function watchUsage(positions: Positions, onLate: () => void): Usage {
  const used = new Set<string>();
  /** By path, when it was last said to be unused. */
  const ruledOut = new Map<string, number>();
  let hasWorker = false;
  const take = (entries: PerformanceEntryList) => {
    for (const { name, startTime } of entries) {
      const path = positions.pathOf(name);
      used.add(path);
      if (startTime < (ruledOut.get(path) ?? 0)) onLate();
    }
  };
  const observer = new PerformanceObserver((list) => take(list.getEntries()));
  observer.observe({ type: 'resource', buffered: true });
  // What a worker asks for is not in this document's list.
  followWorkers(() => (hasWorker = true));
  return {
    add: (path) => void used.add(path),
    mayUse(paths) {
      take(observer.takeRecords());
      if (hasWorker || paths.some((path) => used.has(path))) return true;
      for (const path of paths) ruledOut.set(path, performance.now());
      return false;
    },
  };
}
