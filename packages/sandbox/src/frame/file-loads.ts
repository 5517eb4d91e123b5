/** A file of the project that the document loaded without a resource timing. */
export interface FileLoad {
  /** Path of the file; with status 404 it doesn't exist. */
  path: string;
  /** Initiator, as in `PerformanceResourceTiming.initiatorType`. */
  by: string;
  status: number;
  hasFailed: boolean;
  size: number | null;
  at: number;
}

export interface FileLoads {
  add(load: Omit<FileLoad, 'at' | 'hasFailed'> & { hasFailed?: boolean }): void;
  /** Calls the listener with all loads so far and each later one. */
  subscribe(listener: (load: FileLoad) => void): void;
}

const maxLoads = 500;

export function createFileLoads(): FileLoads {
  const all: FileLoad[] = [];
  let notify: (load: FileLoad) => void = () => undefined;
  return {
    add(load) {
      const timed = { hasFailed: load.status >= 400, ...load, at: performance.now() };
      if (all.length < maxLoads) all.push(timed);
      notify(timed);
    },
    subscribe(listener) {
      all.forEach(listener);
      notify = listener;
    },
  };
}
