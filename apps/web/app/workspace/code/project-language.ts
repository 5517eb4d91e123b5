import type {
  CodeDiagnostic,
  FileEdits,
  LanguageClient,
  languageService,
  MarkupClient,
  CodeLocation,
} from '@vitrine/editor/language-service';
import type { LintDiagnostic } from '@vitrine/editor/lint-client';
import { loadWithRetries } from '@vitrine/project/retry-loading';
import { getPackageUrls } from '../../packages/package-builds.ts';
import { lockfilePath } from '../../packages/project-manifest.ts';
import { DiagnosticsRunner } from '../problems/diagnostics-runner.ts';
import { ValueStore } from '../value-store.ts';
import { whenIdle, whenSettledOrRequested } from '../../schedule.ts';

/** The workspace's files and ways to change and show them. */
interface ProjectLanguageOptions {
  /** Returns the same map until a file changes. */
  readonly files: () => ReadonlyMap<string, string>;
  /** Resolves once the server knows the project's packages. */
  readonly packagesRegistered: () => Promise<void> | undefined;
  readonly write: (edits: readonly FileEdits[]) => void;
  /** Opens a file of the project at a location. */
  readonly goTo: (location: CodeLocation) => void;
  readonly goToDeclaration: (location: CodeLocation) => void;
}

/** Editor extension of the language services. */
export type LanguageService = ReturnType<typeof languageService>;

const isScript = (path: string) => /\.(?:[cm]?[jt]s|[jt]sx)$/.test(path);
/** Types of Vue and Svelte components are checked as far as their scripts allow. */
const hasTypes = (path: string) => isScript(path) || /\.(?:vue|svelte)$/.test(path);
const isMarkupOrStyle = (path: string) =>
  /\.(?:html?|vue|svelte|p?css|postcss|scss|less)$/.test(path);

/**
 * Language services of a project: one worker for TypeScript, one for markup and styles. They are
 * loaded some seconds after the first file they support is shown, once typing pauses, or as soon as
 * they are requested. Until then, editors use syntax-based completion, and their commands wait.
 */
export class ProjectLanguage {
  readonly service = new ValueStore<LanguageService | undefined>(undefined);
  readonly #options: ProjectLanguageOptions;
  readonly #watch: DiagnosticsRunner<CodeDiagnostic>;
  /** TypeScript client. It gets the packages once a script is shown. */
  #client: LanguageClient | undefined;
  #markupClient: MarkupClient | undefined;
  #loading: Promise<void> | undefined;
  /** Ends the wait before loading. Undefined while nothing waits. */
  #startNow: (() => void) | undefined;
  /** Resolves once the first check is done, or there is nothing to check. */
  #firstCheck = Promise.withResolvers<void>();
  #isScriptShown = false;
  #abort = new AbortController();
  #lockfile: string | undefined;
  /** Resolves once the TypeScript worker has loaded the types of packages. */
  #typesLoaded = Promise.withResolvers<void>();
  /** The last request for a declaration file. The next waits, as it would replace it. */
  #lastRead: Promise<unknown> = Promise.resolve();

  constructor(options: ProjectLanguageOptions) {
    this.#options = options;
    const find = async (path: string) =>
      this.#isScriptShown ? this.#client?.request('problems', { path }) : undefined;
    this.#watch = new DiagnosticsRunner({ files: options.files, includes: hasTypes, check: find });
  }

  /** Diagnostics, positioned in the current texts. */
  get problems(): ValueStore<readonly CodeDiagnostic[]> {
    return this.#watch.diagnostics;
  }

  /** Lint problems in the styles of a file. Undefined until the markup client has loaded. */
  async styleProblems(path: string): Promise<readonly LintDiagnostic[] | undefined> {
    return this.#markupClient?.request('problems', { path });
  }

  /** Resolves when the services don't need the processor for their start, or not yet. */
  get whenStarted(): Promise<void> {
    return this.#loading ? this.#firstCheck.promise : Promise.resolve();
  }

  /** Called when a file is shown. The first supported one loads the language services. */
  onFileShown(path: string): void {
    const hasScripts = isScript(path) || this.#hasScript(path);
    if (!hasScripts && !isMarkupOrStyle(path)) return;
    if (!this.#loading) this.#abort = new AbortController();
    const { signal } = this.#abort;
    this.#loading ??= new Promise<void>((resolve) => {
      this.#startNow = resolve;
      whenSettledOrRequested(resolve, signal);
    }).then(() => (signal.aborted ? undefined : this.#load(signal)));
    void this.#loading.then(() => this.#startWorkers(path, hasScripts));
  }

  /**
   * Text of a declaration file of a package or the standard library, by its path in
   * `node_modules/` or `__vitrine/lib/`. If there is no such file, resolves to undefined once
   * package types have loaded.
   */
  async readDeclaration(path: string): Promise<string | undefined> {
    this.onFileShown(path);
    this.#startNow?.();
    await this.#loading;
    const text = await this.#requestDeclaration(path);
    if (text !== undefined) return text;
    await this.#typesLoaded.promise;
    return this.#requestDeclaration(path);
  }

  /** Called after each change of the files. */
  onFilesChanged(): void {
    if (!this.#client) return;
    this.#watch.onFilesChanged();
    if (this.#isScriptShown && this.#options.files().get(lockfilePath) !== this.#lockfile)
      void this.#sendPackages(this.#client);
  }

  close(): void {
    this.#abort.abort();
    this.#startNow?.();
    this.#firstCheck.resolve();
    this.#firstCheck = Promise.withResolvers();
    this.#watch.close();
    this.#client?.close();
    this.#client = undefined;
    this.#markupClient?.close();
    this.#markupClient = undefined;
    this.#loading = undefined;
    this.#isScriptShown = false;
    this.service.set(undefined);
    this.#typesLoaded = Promise.withResolvers();
  }

  async #requestDeclaration(path: string): Promise<string | undefined> {
    const text = this.#lastRead.then(() => this.#client?.request('source', { path }));
    this.#lastRead = text;
    return (await text) ?? undefined;
  }

  async #load(signal: AbortSignal): Promise<void> {
    const { files, write, goTo, goToDeclaration } = this.#options;
    const load = () => import('@vitrine/editor/language-service');
    // Rejects when aborted, or if the page has to be reloaded, which it says.
    const loaded = await loadWithRetries(load, { signal }).catch(() => undefined);
    if (!loaded || signal.aborted) return;
    const onChange = () => {
      this.#typesLoaded.resolve();
      this.#watch.scheduleRun();
    };
    const client = new loaded.LanguageClient({ files, onChange });
    const markup = loaded.createMarkupClient(files);
    this.#client = client;
    this.#markupClient = markup;
    const show = (location: CodeLocation) =>
      files().has(location.path) ? goTo(location) : goToDeclaration(location);
    this.service.set(loaded.languageService({ scripts: client, markup, files, write, goTo: show }));
    addEventListener('beforeinput', () => client.onTyped(), { capture: true, signal });
  }

  #startWorkers(path: string, hasScripts: boolean): void {
    if (isMarkupOrStyle(path)) this.#markupClient?.start();
    if (hasScripts && this.#client && !this.#isScriptShown) void this.#startScripts(this.#client);
    if (!hasScripts) this.#firstCheck.resolve();
  }

  async #startScripts(client: LanguageClient): Promise<void> {
    this.#isScriptShown = true;
    client.start();
    await this.#sendPackages(client);
    await new Promise<void>(whenIdle);
    if (this.#client === client) await this.#watch.run();
    this.#firstCheck.resolve();
  }

  /** True for markup that contains a script. */
  #hasScript(path: string): boolean {
    if (!/\.(?:html?|vue|svelte)$/.test(path)) return false;
    return /<script\b(?![^>]*\ssrc=)[^>]*>\s*[^\s<]/i.test(this.#options.files().get(path) ?? '');
  }

  async #sendPackages(client: LanguageClient): Promise<void> {
    const lock = this.#options.files().get(lockfilePath);
    this.#lockfile = lock;
    const addresses = getPackageUrls(lock);
    await this.#options.packagesRegistered();
    if (this.#client === client && this.#lockfile === lock) client.setPackages(addresses);
  }
}
