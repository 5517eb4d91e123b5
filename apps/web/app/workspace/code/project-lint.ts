import type { FileEdits } from '@vitrine/editor/language-service';
import type {
  isSupportedByBrowser,
  LintClient,
  LintDiagnostic,
  lintQuickFixes,
} from '@vitrine/editor/lint-client';
import { loadWithRetries } from '@vitrine/project/retry-loading';
import { DiagnosticsRunner } from '../problems/diagnostics-runner.ts';
import { ValueStore } from '../value-store.ts';
import { whenIdle } from '../../schedule.ts';

/** The workspace's files and a way to change them. */
interface ProjectLintOptions {
  /** Returns the same map until a file changes. */
  readonly files: () => ReadonlyMap<string, string>;
  readonly write: (edits: readonly FileEdits[]) => void;
  /** Resolves once the language services, which come first, have started. */
  readonly languageStarted: () => Promise<void>;
  /** Lint problems in the styles of a file. Undefined until the markup client has loaded. */
  readonly styleProblems: (path: string) => Promise<readonly LintDiagnostic[] | undefined>;
}

/** Delay before loading, so that the preview comes first. */
const delayMs = 1_500;

/** Styles checked by the markup client: Sass, Less, and styles within markup. */
const usesStyleLinter = (path: string) => /\.(?:html?|vue|svelte|scss|less)$/.test(path);
const isLinted = (path: string) => /\.(?:scss|less)$/.test(path) || usesLinter(path);
const usesLinter = (path: string) =>
  /\.(?:[cm]?[jt]s|[jt]sx|vue|svelte|css|html?|json)$/.test(path) &&
  !path.endsWith('package-lock.json');

/** Lints the project's files. The linter and its worker are loaded last of all. */
export class ProjectLint {
  /** Editor service that offers the linter's quick fixes. Undefined until the linter has loaded. */
  readonly quickFixes = new ValueStore<ReturnType<typeof lintQuickFixes> | undefined>(undefined);
  readonly #options: ProjectLintOptions;
  readonly #watch: DiagnosticsRunner<LintDiagnostic>;
  #client: LintClient | undefined;
  /** Loaded with the client. */
  #isSupported: typeof isSupportedByBrowser | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #abort = new AbortController();

  constructor(options: ProjectLintOptions) {
    this.#options = options;
    const find = async (path: string) => {
      const found = [
        ...((usesLinter(path) && (await this.#client?.request('problems', { path }))) || []),
        ...((usesStyleLinter(path) && (await options.styleProblems(path))) || []),
      ];
      const text = options.files().get(path) ?? '';
      return found.filter((problem) => !this.#isSupported?.(text, problem));
    };
    this.#watch = new DiagnosticsRunner({ files: options.files, includes: isLinted, check: find });
  }

  /** Lint problems, positioned in the current texts. */
  get problems(): ValueStore<readonly LintDiagnostic[]> {
    return this.#watch.diagnostics;
  }

  /**
   * Called when a file is shown. The first supported one loads the linter when the page is idle.
   */
  onFileShown(path: string): void {
    if (this.#timer !== undefined || !isLinted(path)) return;
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    const load = () => signal.aborted || void this.#load(signal);
    this.#timer = setTimeout(() => {
      void this.#options.languageStarted().then(() => whenIdle(load));
    }, delayMs);
  }

  /** Called after each change of the files. */
  onFilesChanged(): void {
    if (this.#client) this.#watch.onFilesChanged();
  }

  close(): void {
    this.#abort.abort();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#watch.close();
    this.#client?.close();
    this.#client = undefined;
    this.quickFixes.set(undefined);
  }

  async #load(signal: AbortSignal): Promise<void> {
    const { files, write } = this.#options;
    const load = () => import('@vitrine/editor/lint-client');
    // Rejects when aborted, or if the page has to be reloaded, which it says.
    const loaded = await loadWithRetries(load, { signal }).catch(() => undefined);
    if (!loaded || signal.aborted) return;
    const client = loaded.createLintClient({
      files,
      onChange: () => this.#watch.scheduleRun(),
    });
    this.#client = client;
    this.#isSupported = loaded.isSupportedByBrowser;
    this.quickFixes.set(loaded.lintQuickFixes({ client, files, write }));
    void this.#watch.run();
  }
}
