import type { Preview } from '@vitrine/sandbox/host';
import type { TestReport, Tests, Wanted, WrittenFile } from '@vitrine/sandbox/tests';
import type { Result } from './result.ts';
import { Source } from './source.ts';

const nothingYet: TestReport = { files: [], isRunning: false };

/**
 * Tests of the project. They run while the Tests tab is visible; the last report is kept
 * afterwards. The test runner is loaded on first use.
 */
export class ProjectTests {
  readonly report = new Source<TestReport>(nothingYet);
  /** Hides tests that haven't failed. */
  readonly failedOnly = new Source(false);
  readonly #result: Result;
  readonly #write: (files: readonly WrittenFile[]) => void;
  #tests: Tests | undefined;

  constructor(result: Result, write: (files: readonly WrittenFile[]) => void) {
    this.#result = result;
    this.#write = write;
  }

  /**
   * Runs the tests in an element, now and after each change, until the returned function is called.
   */
  show(element: HTMLElement): () => void {
    let isCanceled = false;
    const start = async (preview: Preview | undefined) => {
      this.#end();
      if (!preview) return;
      const { mountTests } = await import('@vitrine/sandbox/tests');
      if (isCanceled || preview !== this.#result.preview.get()) return;
      this.#tests = mountTests(preview, { element, onReport: this.report.set.bind(this.report) });
    };
    const unsubscribe = this.#result.preview.subscribe(
      () => void start(this.#result.preview.get()),
    );
    void start(this.#result.preview.get());
    return () => {
      isCanceled = true;
      unsubscribe();
      this.#end();
    };
  }

  run(wanted?: Wanted): void {
    this.#tests?.run(wanted);
  }

  /** Writes the current snapshots to their files. */
  async updateSnapshots(): Promise<void> {
    const files = await this.#tests?.updateSnapshots();
    if (files) this.#write(files);
  }

  /** Stops the tests and clears the report. */
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
