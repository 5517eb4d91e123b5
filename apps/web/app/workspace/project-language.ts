import type {
  CodeProblem,
  FileEdits,
  LanguageClient,
  languageService,
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

/**
 * A project's scripts as TypeScript understands them. Its code, and the worker's, come once a script
 * is seen and the page has nothing to do; until then, and where they do not come, editors guess.
 */
export class ProjectLanguage {
  readonly service = new Source<LanguageService | undefined>(undefined);
  /** In the texts as they are. */
  readonly problems = new Source<readonly CodeProblem[]>([]);
  /** What of a package is shown. */
  readonly declaration = new Source<Declaration | null>(null);
  readonly #options: ProjectLanguageOptions;
  #client: LanguageClient | undefined;
  #isBegun = false;
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
    const files = this.#options.files();
    const moved = shiftProblems(this.problems.get(), this.#texts, files);
    this.#texts = files;
    this.problems.set(moved);
    if (files.get(lockPath) !== this.#lock) void this.#sendPackages(this.#client);
    this.#lookLater();
  }

  close(): void {
    this.#life.abort();
    clearTimeout(this.#rest);
    this.#looks += 1;
    this.#client?.close();
    this.#client = undefined;
    this.#isBegun = false;
    this.service.set(undefined);
    this.problems.set([]);
    this.declaration.set(null);
  }

  async #begin(signal: AbortSignal): Promise<void> {
    const { files, write } = this.#options;
    // Without a network nothing is understood; the next file that is seen tries again.
    const loaded = await import('@vitrine/editor/language-service').catch(() => undefined);
    if (!loaded) this.#isBegun = false;
    if (!loaded || signal.aborted) return;
    const client = new loaded.LanguageClient({ files, onChange: () => this.#lookLater() });
    this.#client = client;
    this.#texts = files();
    client.start();
    const goTo = (place: Place) => void this.#goTo(client, place);
    this.service.set(loaded.languageService({ client, files, write, goTo }));
    await this.#sendPackages(client);
    if (!signal.aborted) void this.#look();
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
    if (!client) return;
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
