import type {
  CodeProblem,
  FileEdits,
  LanguageClient,
  languageService,
  MarkupClient,
  Place,
} from '@vitrine/editor/language-service';
import type { RuleProblem } from '@vitrine/editor/rules';
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
/** Of components the worker says what their scripts' types say, where that can be known. */
const hasTypes = (path: string) => isScript(path) || /\.(?:vue|svelte)$/.test(path);
const isMarkupOrStyle = (path: string) => /\.(?:html?|vue|svelte|css|scss|less)$/.test(path);

/**
 * A project's code as two workers understand it: TypeScript's that of scripts, and another that of
 * markup and styles. Their code comes once a file of theirs is seen and the page has nothing to do;
 * until then, and where it does not come, editors guess.
 */
export class ProjectLanguage {
  readonly service = new Source<LanguageService | undefined>(undefined);
  /** What of a package is shown. */
  readonly declaration = new Source<Declaration | null>(null);
  readonly #options: ProjectLanguageOptions;
  readonly #watch: ProblemWatch<CodeProblem>;
  /** Of scripts. It knows the packages once one is seen. */
  #client: LanguageClient | undefined;
  #markup: MarkupClient | undefined;
  #begun: Promise<void> | undefined;
  #seesScripts = false;
  #life = new AbortController();
  #lock: string | undefined;

  constructor(options: ProjectLanguageOptions) {
    this.#options = options;
    const find = async (path: string) =>
      this.#seesScripts ? this.#client?.ask('problems', { path }) : undefined;
    this.#watch = new ProblemWatch({ files: options.files, isLooked: hasTypes, find });
  }

  /** In the texts as they are. */
  get problems(): Source<readonly CodeProblem[]> {
    return this.#watch.problems;
  }

  /** What the rules of styles say of a file; undefined while nobody understands them. */
  async styleProblems(path: string): Promise<readonly RuleProblem[] | undefined> {
    return this.#markup?.ask('problems', { path });
  }

  /** A file is seen. The first that is understood begins it all, when there is time. */
  see(path: string): void {
    const isOfScripts = isScript(path) || this.#hasScript(path);
    if (!isOfScripts && !isMarkupOrStyle(path)) return;
    if (!this.#begun) this.#life = new AbortController();
    const { signal } = this.#life;
    this.#begun ??= new Promise<void>(whenIdle).then(() =>
      signal.aborted ? undefined : this.#begin(signal),
    );
    void this.#begun.then(() => this.#startWorkers(path, isOfScripts));
  }

  /** The files are others now. */
  follow(): void {
    if (!this.#client) return;
    this.#watch.follow();
    if (this.#seesScripts && this.#options.files().get(lockPath) !== this.#lock)
      void this.#sendPackages(this.#client);
  }

  close(): void {
    this.#life.abort();
    this.#watch.close();
    this.#client?.close();
    this.#client = undefined;
    this.#markup?.close();
    this.#markup = undefined;
    this.#begun = undefined;
    this.#seesScripts = false;
    this.service.set(undefined);
    this.declaration.set(null);
  }

  async #begin(signal: AbortSignal): Promise<void> {
    const { files, write } = this.#options;
    // Without a network nothing is understood; the next file that is seen tries again.
    const loaded = await import('@vitrine/editor/language-service').catch(() => undefined);
    if (!loaded && !signal.aborted) this.#begun = undefined;
    if (!loaded || signal.aborted) return;
    const client = new loaded.LanguageClient({ files, onChange: () => this.#watch.lookLater() });
    const markup = loaded.createMarkupClient(files);
    this.#client = client;
    this.#markup = markup;
    const goTo = (place: Place) => void this.#goTo(client, place);
    this.service.set(loaded.languageService({ client, markup, files, write, goTo }));
  }

  #startWorkers(path: string, isOfScripts: boolean): void {
    if (isMarkupOrStyle(path)) this.#markup?.start();
    if (isOfScripts && this.#client && !this.#seesScripts) void this.#startScripts(this.#client);
  }

  async #startScripts(client: LanguageClient): Promise<void> {
    this.#seesScripts = true;
    client.start();
    await this.#sendPackages(client);
    if (this.#client === client) void this.#watch.look();
  }

  /** True for markup with a script in it. */
  #hasScript(path: string): boolean {
    if (!/\.(?:html?|vue|svelte)$/.test(path)) return false;
    return /<script\b(?![^>]*\ssrc=)[^>]*>\s*[^\s<]/i.test(this.#options.files().get(path) ?? '');
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
