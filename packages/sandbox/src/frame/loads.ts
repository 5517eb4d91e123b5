/** What a document has got of the project's own files, as far as the browser does not tell of it. */
export interface Load {
  /** The file's path; one with a status of 404 is not there. */
  path: string;
  /** What asked for it, by the browser's names (`PerformanceResourceTiming.initiatorType`). */
  by: string;
  status: number;
  hasFailed: boolean;
  size: number | null;
  at: number;
}

export interface Loads {
  add(load: Omit<Load, 'at' | 'hasFailed'> & { hasFailed?: boolean }): void;
  /** Hears of those up to now, and from then on of each new one. */
  follow(hear: (load: Load) => void): void;
}

const keptLoads = 500;

export function createLoads(): Loads {
  const all: Load[] = [];
  let tell: (load: Load) => void = () => undefined;
  return {
    add(load) {
      const timed = { hasFailed: load.status >= 400, ...load, at: performance.now() };
      if (all.length < keptLoads) all.push(timed);
      tell(timed);
    },
    follow(hear) {
      all.forEach(hear);
      tell = hear;
    },
  };
}
