import type {
  CodeProblem,
  FileEdits,
  LanguageClient,
  languageService,
  Place,
} from '@vitrine/editor/language-service';
import { addressesOf } from '../packages/package-builds.ts';
import { lockPath } from '../packages/manifest.ts';
import { ProblemWatch } from './problem-watch.ts';
import { Source } from './source.ts';
import { whenIdle } from './when-idle.ts';

/** What the workspace lends: the files, and the means to change and to show them. */
export interface ProjectLanguageOptions {
  /** The same map while nothing has changed. */
  readonly files: () => ReadonlyMap<string, string>;
  /** Resolves when the server knows the addresses of the project's packages. */
  readonly registered: () => Promise<void> | undefined;
  readonly write: (edits: readonly FileEdits[]) => void;
  readonly goTo: (place: Place) => void;
}

/** What editors take in. */
export type LanguageService = ReturnType<typeof languageService>;

/** A part of a package's declarations, to be looked at. */
export interface Declaration extends Place {
  readonly text: string;
}

const isScript = (path: string) => /\.(?:[cm]?[jt]s|[jt]sx)$/.test(path);

/**
 * A project's scripts as TypeScript understands them. Its code, and the worker's, come once a script
 * is seen and the page has nothing to do; until then, and where they do not come, editors guess.
 */
export class ProjectLanguage {
  readonly service = new Source<LanguageService | undefined>(undefined);
  /** What of a package is shown. */
  readonly declaration = new Source<Declaration | null>(null);
  readonly #options: ProjectLanguageOptions;
  readonly #watch: ProblemWatch<CodeProblem>;
  #client: LanguageClient | undefined;
  #isBegun = false;
  #life = new AbortController();
  #lock: string | undefined;

  constructor(options: ProjectLanguageOptions) {
    this.#options = options;
    const find = async (path: string) => this.#client?.ask('problems', { path });
    this.#watch = new ProblemWatch({ files: options.files, isLooked: isScript, find });
  }

  /** In the texts as they are. */
  get problems(): Source<readonly CodeProblem[]> {
    return this.#watch.problems;
  }

  /** A file is seen. The first script begins it all, when there is time. */
  see(path: string): void {
    if (this.#isBegun || !isScript(path)) return;
    this.#isBegun = true;
    this.#life = new AbortController();
    const { signal } = this.#life;
    whenIdle(() => {
      if (!signal.aborted) void this.#begin(signal);
    });
  }

  /** The files are others now. */
  follow(): void {
    if (!this.#client) return;
    this.#watch.follow();
    if (this.#options.files().get(lockPath) !== this.#lock) void this.#sendPackages(this.#client);
  }

  close(): void {
    this.#life.abort();
    this.#watch.close();
    this.#client?.close();
    this.#client = undefined;
    this.#isBegun = false;
    this.service.set(undefined);
    this.declaration.set(null);
  }

  async #begin(signal: AbortSignal): Promise<void> {
    const { files, write } = this.#options;
    // Without a network nothing is understood; the next file that is seen tries again.
    const loaded = await import('@vitrine/editor/language-service').catch(() => undefined);
    if (!loaded) this.#isBegun = false;
    if (!loaded || signal.aborted) return;
    const client = new loaded.LanguageClient({ files, onChange: () => this.#watch.lookLater() });
    this.#client = client;
    client.start();
    const goTo = (place: Place) => void this.#goTo(client, place);
    this.service.set(loaded.languageService({ client, files, write, goTo }));
    await this.#sendPackages(client);
    if (!signal.aborted) void this.#watch.look();
  }

  async #sendPackages(client: LanguageClient): Promise<void> {
    const lock = this.#options.files().get(lockPath);
    this.#lock = lock;
    const addresses = addressesOf(lock);
    await this.#options.registered();
    if (this.#client === client && this.#lock === lock) client.setPackages(addresses);
  }

  async #goTo(client: LanguageClient, place: Place): Promise<void> {
    if (this.#options.files().has(place.path)) {
      this.declaration.set(null);
      this.#options.goTo(place);
      return;
    }
    const text = await client.ask('source', { path: place.path });
    if (text != null) this.declaration.set({ ...place, text });
  }
}
