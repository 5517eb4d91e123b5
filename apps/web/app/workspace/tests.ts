import type { Preview } from '@vitrine/sandbox/host';
import type { TestReport, Tests, Wanted, WrittenFile } from '@vitrine/sandbox/tests';
import type { Result } from './result.ts';
import { Source } from './source.ts';

const nothingYet: TestReport = { files: [], isRunning: false };

/**
 * The project's tests. They run while they are on the screen; what they came to stays known after
 * that. Nothing of it is loaded before.
 */
export class ProjectTests {
  readonly report = new Source<TestReport>(nothingYet);
  /** Passed tests are left out of the list. */
  readonly failedOnly = new Source(false);
  readonly #result: Result;
  readonly #write: (files: readonly WrittenFile[]) => void;
  #tests: Tests | undefined;

  constructor(result: Result, write: (files: readonly WrittenFile[]) => void) {
    this.#result = result;
    this.#write = write;
  }

  /** Runs the tests in an element, now and after changes, until the function returned is called. */
  show(element: HTMLElement): () => void {
    let isOver = false;
    const begin = async (preview: Preview | undefined) => {
      this.#end();
      if (!preview) return;
      const { mountTests } = await import('@vitrine/sandbox/tests');
      if (isOver || preview !== this.#result.preview.get()) return;
      this.#tests = mountTests(preview, { element, onReport: this.report.set.bind(this.report) });
    };
    const off = this.#result.preview.subscribe(() => void begin(this.#result.preview.get()));
    void begin(this.#result.preview.get());
    return () => {
      isOver = true;
      off();
      this.#end();
    };
  }

  run(wanted?: Wanted): void {
    this.#tests?.run(wanted);
  }

  /** Writes what snapshots hold now into the files that have them. */
  async updateSnapshots(): Promise<void> {
    const files = await this.#tests?.updateSnapshots();
    if (files) this.#write(files);
  }

  /** Forgets what was known, with the project. */
  close(): void {
    this.#end();
    this.report.set(nothingYet);
  }

  #end(): void {
    this.#tests?.close();
    this.#tests = undefined;
    const report = this.report.get();
    if (report.isRunning) this.report.set({ ...report, isRunning: false });
  }
}
