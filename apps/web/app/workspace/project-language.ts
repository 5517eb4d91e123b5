import type {
  CodeProblem,
  FileEdits,
  LanguageClient,
  languageService,
  MarkupClient,
  Place,
} from '@vitrine/editor/language-service';
import { addressesOf } from '../packages/package-builds.ts';
import { lockPath } from '../packages/manifest.ts';
import { shiftProblems } from './shift-problems.ts';
import { Source } from './source.ts';

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

/** Whoever opens a file sees and types first. */
const idleMs = 500;
/** After this long without an edit it is said what is wrong. */
const restMs = 500;

const isScript = (path: string) => /\.(?:[cm]?[jt]s|[jt]sx)$/.test(path);
const isMarkupOrStyle = (path: string) => /\.(?:html?|vue|svelte|css|scss|less)$/.test(path);

/**
 * A project's code as two workers understand it: TypeScript's that of scripts, and another that of
 * markup and styles. Their code comes once a file of theirs is seen and the page has nothing to do;
 * until then, and where it does not come, editors guess.
 */
export class ProjectLanguage {
  readonly service = new Source<LanguageService | undefined>(undefined);
  /** In the texts as they are. */
  readonly problems = new Source<readonly CodeProblem[]>([]);
  /** What of a package is shown. */
  readonly declaration = new Source<Declaration | null>(null);
  readonly #options: ProjectLanguageOptions;
  /** Of scripts. It knows the packages once one is seen. */
  #client: LanguageClient | undefined;
  #markup: MarkupClient | undefined;
  #begun: Promise<void> | undefined;
  #seesScripts = false;
  #life = new AbortController();
  #lock: string | undefined;
  /** The texts that `problems` are counted in. */
  #texts: ReadonlyMap<string, string> = new Map();
  #rest: ReturnType<typeof setTimeout> | undefined;
  /** Counts the looks for problems: a newer one ends those before. */
  #looks = 0;

  constructor(options: ProjectLanguageOptions) {
    this.#options = options;
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
    const files = this.#options.files();
    const moved = shiftProblems(this.problems.get(), this.#texts, files);
    this.#texts = files;
    this.problems.set(moved);
    if (this.#seesScripts && files.get(lockPath) !== this.#lock)
      void this.#sendPackages(this.#client);
    this.#lookLater();
  }

  close(): void {
    this.#life.abort();
    clearTimeout(this.#rest);
    this.#looks += 1;
    this.#client?.close();
    this.#client = undefined;
    this.#markup?.close();
    this.#markup = undefined;
    this.#begun = undefined;
    this.#seesScripts = false;
    this.service.set(undefined);
    this.problems.set([]);
    this.declaration.set(null);
  }

  async #begin(signal: AbortSignal): Promise<void> {
    const { files, write } = this.#options;
    // Without a network nothing is understood; the next file that is seen tries again.
    const loaded = await import('@vitrine/editor/language-service').catch(() => undefined);
    if (!loaded && !signal.aborted) this.#begun = undefined;
    if (!loaded || signal.aborted) return;
    const client = new loaded.LanguageClient({ files, onChange: () => this.#lookLater() });
    const markup = loaded.createMarkupClient(files);
    this.#client = client;
    this.#markup = markup;
    this.#texts = files();
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
    if (this.#client === client) void this.#look();
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

  #lookLater(): void {
    clearTimeout(this.#rest);
    this.#looks += 1;
    this.#rest = setTimeout(() => void this.#look(), restMs);
  }

  /** Asks for one file after the other, so that whoever types is answered in between. */
  async #look(): Promise<void> {
    const client = this.#client;
    const look = (this.#looks += 1);
    if (!client || !this.#seesScripts) return;
    const files = this.#options.files();
    const found: CodeProblem[] = [];
    for (const path of [...files.keys()].filter(isScript)) {
      const problems = await client.ask('problems', { path });
      if (look !== this.#looks) return;
      found.push(...(problems ?? []));
    }
    this.#texts = files;
    this.problems.set(found);
  }
}

/** Soon at the latest: a page that always has something to do is one that is worked in. */
function whenIdle(call: () => void): void {
  // Safari has none.
  if ('requestIdleCallback' in window) requestIdleCallback(call, { timeout: idleMs });
  else setTimeout(call, idleMs);
}
