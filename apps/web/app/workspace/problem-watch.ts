import { shiftProblems, type PlacedProblem } from './shift-problems.ts';
import { Source } from './source.ts';

export interface ProblemWatchOptions<P> {
  /** Returns the same map until a file changes. */
  readonly files: () => ReadonlyMap<string, string>;
  /** Which files to check. */
  readonly isLooked: (path: string) => boolean;
  /** Diagnostics of a file. Undefined if none are available now. */
  readonly find: (path: string) => Promise<readonly P[] | undefined>;
}

/** Delay after the last edit before checking. */
const debounceMs = 500;

/**
 * Runs a checker over the project's files, again after each edit, and shifts known diagnostics with
 * the text meanwhile.
 */
export class ProblemWatch<P extends PlacedProblem> {
  /** Diagnostics, positioned in the current texts. */
  readonly problems = new Source<readonly P[]>([]);
  readonly #options: ProblemWatchOptions<P>;
  /** Texts that the positions of `problems` refer to. */
  #texts: ReadonlyMap<string, string> = new Map();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Number of the current run. A new run cancels earlier ones. */
  #runs = 0;

  constructor(options: ProblemWatchOptions<P>) {
    this.#options = options;
  }

  /** Called after each change of the files. */
  follow(): void {
    const files = this.#options.files();
    const shifted = shiftProblems(this.problems.get(), this.#texts, files);
    this.#texts = files;
    this.problems.set(shifted);
    this.lookLater();
  }

  lookLater(): void {
    clearTimeout(this.#timer);
    this.#runs += 1;
    this.#timer = setTimeout(() => void this.look(), debounceMs);
  }

  /** Checks file by file, so that requests from typing are served in between. */
  async look(): Promise<void> {
    const { files: read, isLooked, find } = this.#options;
    const run = (this.#runs += 1);
    const files = read();
    const found: P[] = [];
    for (const path of [...files.keys()].filter(isLooked)) {
      const problems = await find(path);
      if (run !== this.#runs) return;
      found.push(...(problems ?? []));
    }
    this.#texts = files;
    this.problems.set(found);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#runs += 1;
    this.problems.set([]);
  }
}
