import { Timer } from '../../schedule.ts';
import { shiftDiagnostics, type RangedDiagnostic } from './shift-diagnostics.ts';
import { ValueStore } from '../value-store.ts';

interface DiagnosticsRunnerOptions<P> {
  /** Returns the same map until a file changes. */
  readonly files: () => ReadonlyMap<string, string>;
  /** Which files to check. */
  readonly includes: (path: string) => boolean;
  /** Diagnostics of a file. Undefined if none are available now. */
  readonly check: (path: string) => Promise<readonly P[] | undefined>;
}

/** Delay after the last edit before checking. */
const debounceMs = 500;

/**
 * Runs a checker over the project's files, again after each edit, and shifts known diagnostics with
 * the text meanwhile.
 */
export class DiagnosticsRunner<P extends RangedDiagnostic> {
  /** Diagnostics, positioned in the current texts. */
  readonly diagnostics = new ValueStore<readonly P[]>([]);
  readonly #options: DiagnosticsRunnerOptions<P>;
  /** Texts that the positions of `problems` refer to. */
  #texts: ReadonlyMap<string, string> = new Map();
  /** Texts of the last completed check. */
  #checked: ReadonlyMap<string, string> = new Map();
  readonly #timer = new Timer();
  /** Number of the current run. A new run cancels earlier ones. */
  #runs = 0;

  constructor(options: DiagnosticsRunnerOptions<P>) {
    this.#options = options;
  }

  /** Called after each change of the files. */
  onFilesChanged(): void {
    const files = this.#options.files();
    const shifted = shiftDiagnostics(this.diagnostics.get(), this.#texts, files);
    this.#texts = files;
    this.diagnostics.set(shifted);
    this.scheduleRun();
  }

  scheduleRun(): void {
    this.#runs += 1;
    this.#timer.start(debounceMs, () => void this.run());
  }

  /**
   * Checks file by file, so that requests from typing are served in between. Edited files come
   * first, and their diagnostics are shown while the others are checked.
   */
  async run(): Promise<void> {
    const { files: read, includes, check: find } = this.#options;
    const run = (this.#runs += 1);
    const files = read();
    const paths = [...files.keys()].filter(includes);
    const edited = new Set(paths.filter((path) => files.get(path) !== this.#checked.get(path)));
    const found = new Map<string, readonly P[]>();
    for (const path of [...edited, ...paths.filter((each) => !edited.has(each))]) {
      const problems = await find(path);
      if (run !== this.#runs) return;
      found.set(path, problems ?? []);
      if (found.size !== edited.size) continue;
      this.#texts = files;
      const others = this.diagnostics.get().filter((each) => !edited.has(each.path));
      this.diagnostics.set([...[...found.values()].flat(), ...others]);
    }
    this.#checked = files;
    this.#texts = files;
    this.diagnostics.set(paths.flatMap((path) => found.get(path) ?? []));
  }

  close(): void {
    this.#timer.stop();
    this.#runs += 1;
    this.diagnostics.set([]);
  }
}
