import type { Preview } from '@vitrine/sandbox/host';
import type { TestReport, TestRunner, TestSelection, SnapshotFile } from '@vitrine/sandbox/tests';
import { loadWithRetries } from '@vitrine/project/retry-loading';
import type { PreviewController } from '../preview/preview-controller.ts';
import { ValueStore } from '../value-store.ts';

const nothingYet: TestReport = { files: [], isRunning: false };

/**
 * Tests of the project. They run while the Tests tab is visible; the last report is kept
 * afterwards. The test runner is loaded on first use.
 */
export class ProjectTests {
  readonly report = new ValueStore<TestReport>(nothingYet);
  /** Hides tests that haven't failed. */
  readonly failedOnly = new ValueStore(false);
  readonly #result: PreviewController;
  readonly #write: (files: readonly SnapshotFile[]) => void;
  readonly #updatePreview: () => void;
  #tests: TestRunner | undefined;
  /** The user has requested a run before the test runner had loaded. */
  #isRunRequested = false;

  /**
   * @param write Writes updated snapshots.
   * @param updatePreview Passes changes that the preview hasn't got yet.
   */
  constructor(
    result: PreviewController,
    write: (files: readonly SnapshotFile[]) => void,
    updatePreview: () => void,
  ) {
    this.#result = result;
    this.#write = write;
    this.#updatePreview = updatePreview;
  }

  /**
   * Runs the tests in an element, now and after each change, until the returned function is called.
   */
  mount(element: HTMLElement): () => void {
    let isCanceled = false;
    const start = async (preview: Preview | undefined) => {
      this.#end();
      if (!preview) return;
      const { mountTestRunner } = await loadWithRetries(() => import('@vitrine/sandbox/tests'));
      if (isCanceled || preview !== this.#result.mounted.get()) return;
      this.#tests = mountTestRunner(preview, {
        element,
        onReport: this.report.set.bind(this.report),
      });
      if (this.#isRunRequested) this.run();
    };
    const unsubscribe = this.#result.mounted.subscribe(
      () => void start(this.#result.mounted.get()),
    );
    void start(this.#result.mounted.get());
    return () => {
      isCanceled = true;
      unsubscribe();
      this.#end();
    };
  }

  run(wanted?: TestSelection): void {
    this.#updatePreview();
    this.#isRunRequested = !this.#tests;
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
