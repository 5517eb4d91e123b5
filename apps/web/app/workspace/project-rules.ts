import type { FileEdits } from '@vitrine/editor/language-service';
import type { isSupportedStyle, LintClient, RuleProblem, ruleFixes } from '@vitrine/editor/rules';
import { ProblemWatch } from './problem-watch.ts';
import { Source } from './source.ts';
import { whenIdle } from './when-idle.ts';

/** What the workspace lends: the files, and the means to change them. */
export interface ProjectRulesOptions {
  /** The same map while nothing has changed. */
  readonly files: () => ReadonlyMap<string, string>;
  readonly write: (edits: readonly FileEdits[]) => void;
  /** What whoever understands the styles of a file says of them; undefined while nobody does. */
  readonly styleProblems: (path: string) => Promise<readonly RuleProblem[] | undefined>;
}

/** The language service of a project that opens is ahead of it. */
const laterMs = 1_500;

/** Sass, Less, and the styles within markup. */
const hasStyles = (path: string) => /\.(?:html?|vue|svelte|scss|less)$/.test(path);
const isChecked = (path: string) => /\.(?:scss|less)$/.test(path) || hasRules(path);
const hasRules = (path: string) =>
  /\.(?:[cm]?[jt]s|[jt]sx|vue|svelte|css|html?|json)$/.test(path) &&
  !path.endsWith('package-lock.json');

/** What rules say of a project's files. Their code and the worker's come behind everything else. */
export class ProjectRules {
  readonly service = new Source<ReturnType<typeof ruleFixes> | undefined>(undefined);
  readonly #options: ProjectRulesOptions;
  readonly #watch: ProblemWatch<RuleProblem>;
  #client: LintClient | undefined;
  /** Loaded with the client. */
  #isSupported: typeof isSupportedStyle | undefined;
  #later: ReturnType<typeof setTimeout> | undefined;
  #life = new AbortController();

  constructor(options: ProjectRulesOptions) {
    this.#options = options;
    const find = async (path: string) => {
      const found = [
        ...((hasRules(path) && (await this.#client?.ask('problems', { path }))) || []),
        ...((hasStyles(path) && (await options.styleProblems(path))) || []),
      ];
      const text = options.files().get(path) ?? '';
      return found.filter((problem) => !this.#isSupported?.(text, problem));
    };
    this.#watch = new ProblemWatch({ files: options.files, isLooked: isChecked, find });
  }

  /** In the texts as they are. */
  get problems(): Source<readonly RuleProblem[]> {
    return this.#watch.problems;
  }

  /** A file is seen. The first that has rules begins it all, when there is time. */
  see(path: string): void {
    if (this.#later !== undefined || !isChecked(path)) return;
    this.#life = new AbortController();
    const { signal } = this.#life;
    const begin = () => signal.aborted || void this.#begin(signal);
    this.#later = setTimeout(() => whenIdle(begin), laterMs);
  }

  /** The files are others now. */
  follow(): void {
    if (this.#client) this.#watch.follow();
  }

  close(): void {
    this.#life.abort();
    clearTimeout(this.#later);
    this.#later = undefined;
    this.#watch.close();
    this.#client?.close();
    this.#client = undefined;
    this.service.set(undefined);
  }

  async #begin(signal: AbortSignal): Promise<void> {
    const { files, write } = this.#options;
    // Without a network nothing is checked; the next file that is seen tries again.
    const loaded = await import('@vitrine/editor/rules').catch(() => undefined);
    if (!loaded) this.#later = undefined;
    if (!loaded || signal.aborted) return;
    const client = loaded.createLintClient({
      files,
      onChange: () => this.#watch.lookLater(),
    });
    this.#client = client;
    this.#isSupported = loaded.isSupportedStyle;
    this.service.set(loaded.ruleFixes({ client, files, write }));
    void this.#watch.look();
  }
}
