import { shiftProblems, type PlacedProblem } from './shift-problems.ts';
import { Source } from './source.ts';

export interface ProblemWatchOptions<P> {
  /** The same map while nothing has changed. */
  readonly files: () => ReadonlyMap<string, string>;
  /** Which of them are looked at. */
  readonly isLooked: (path: string) => boolean;
  /** Undefined where there is no answer to be had now. */
  readonly find: (path: string) => Promise<readonly P[] | undefined>;
}

/** After this long without an edit it is said what is wrong. */
const restMs = 500;

/** What is wrong with the files of a project, as somebody who is asked says; looked for again once edits rest. */
export class ProblemWatch<P extends PlacedProblem> {
  /** In the texts as they are. */
  readonly problems = new Source<readonly P[]>([]);
  readonly #options: ProblemWatchOptions<P>;
  /** The texts that `problems` are counted in. */
  #texts: ReadonlyMap<string, string> = new Map();
  #rest: ReturnType<typeof setTimeout> | undefined;
  /** Counts the looks: a newer one ends those before. */
  #looks = 0;

  constructor(options: ProblemWatchOptions<P>) {
    this.#options = options;
  }

  /** The files are others now. */
  follow(): void {
    const files = this.#options.files();
    const moved = shiftProblems(this.problems.get(), this.#texts, files);
    this.#texts = files;
    this.problems.set(moved);
    this.lookLater();
  }

  lookLater(): void {
    clearTimeout(this.#rest);
    this.#looks += 1;
    this.#rest = setTimeout(() => void this.look(), restMs);
  }

  /** Asks for one file after the other, so that whoever types is answered in between. */
  async look(): Promise<void> {
    const { files: read, isLooked, find } = this.#options;
    const look = (this.#looks += 1);
    const files = read();
    const found: P[] = [];
    for (const path of [...files.keys()].filter(isLooked)) {
      const problems = await find(path);
      if (look !== this.#looks) return;
      found.push(...(problems ?? []));
    }
    this.#texts = files;
    this.problems.set(found);
  }

  close(): void {
    clearTimeout(this.#rest);
    this.#looks += 1;
    this.problems.set([]);
  }
}
