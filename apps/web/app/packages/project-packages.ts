import { readLock, VitrineError, type ErrorCode } from '@vitrine/project';
import type { ProjectText } from '../workspace/project-text.ts';
import { Source } from '../workspace/source.ts';
import {
  fitsWishes,
  lockPath,
  manifestPath,
  readManifest,
  type ManifestProblem,
  type Wishes,
} from './manifest.ts';
import { PackageBuilds } from './package-builds.ts';
import type {
  PackageCalls,
  PackageChange,
  PackageDetails,
  PackageFiles,
  Resolved,
  SearchAnswer,
} from './package-calls.ts';
import { nameList, parseWanted, type WantedPackage } from './wanted-packages.ts';

/** A direct dependency of the project. */
export interface ListedPackage {
  readonly name: string;
  /** The range in package.json. */
  readonly range: string;
  /** The version in the lockfile; undefined until it is resolved. */
  readonly version: string | undefined;
  readonly license: string | undefined;
  readonly deprecated: string | undefined;
}

/** The change to the packages that is running or has failed. */
export type PackageWork =
  | { readonly status: 'idle' }
  | { readonly status: 'working'; readonly words: string }
  | {
      readonly status: 'failed';
      readonly code: ErrorCode;
      readonly details: string | undefined;
      /** The dependencies in package.json can't be resolved, as opposed to a change to them. */
      readonly isOfFile: boolean;
    };

/** Debounce before a package.json edited by hand is resolved. */
const debounceMs = 800;

/**
 * A project's packages, as package.json and the lockfile describe them, and changes to them, one
 * after the other. The files own the state: this class reads them, and has the server resolve
 * versions when the lockfile no longer matches package.json. Follows the text from `open` to
 * `close`.
 */
export class ProjectPackages {
  readonly list: Source<readonly ListedPackage[]>;
  readonly work = new Source<PackageWork>({ status: 'idle' });
  /** Whether an edited package.json waits for a pause in typing before it is resolved. */
  readonly isWaiting = new Source(false);
  /** Why package.json is invalid, or null. */
  readonly problem: Source<ManifestProblem | null>;
  readonly builds: PackageBuilds;
  /** Versions in the registry by package name, where they were requested. */
  readonly details = new Source<ReadonlyMap<string, PackageDetails>>(new Map());
  readonly #calls: () => PackageCalls;
  #text: ProjectText | undefined;
  #files: PackageFiles;
  #life = new AbortController();
  /** Aborts the running change. */
  #change: AbortController | undefined;
  /** Repeats the last change. */
  #lastChange: (() => Promise<boolean>) | undefined;
  /** Resolves when all queued changes are done. Never rejects. */
  #queue: Promise<unknown> = Promise.resolve();
  #debounce: ReturnType<typeof setTimeout> | undefined;
  /** The lockfile that was registered last, or is being registered until `done`. */
  #registered: { lock: string | undefined; done?: Promise<void> } = { lock: undefined };

  constructor(files: ReadonlyMap<string, string>, calls: () => PackageCalls) {
    this.#calls = calls;
    this.builds = new PackageBuilds(calls);
    this.#files = pickPackageFiles(files);
    const manifest = readManifest(this.#files.manifest);
    this.problem = new Source(manifest.wishes ? null : manifest.problem);
    this.list = new Source(listPackages(manifest.wishes ?? new Map(), this.#files.lock));
  }

  /** Follows the files of an open document, and resolves missing versions. */
  open(text: ProjectText): void {
    this.#life = new AbortController();
    this.#text = text;
    const unsubscribe = text.files.subscribe(() => {
      const work = this.work.get();
      // An edit dismisses a failed change.
      if (work.status === 'failed' && !work.isOfFile) this.dismiss();
      this.#readFiles(text.files.get());
    });
    this.#life.signal.addEventListener('abort', unsubscribe);
    this.#readFiles(text.files.get());
    this.#resolveIfStale();
    this.builds.begin(this.#files.lock);
  }

  close(): void {
    this.#life.abort();
    this.#change?.abort();
    clearTimeout(this.#debounce);
    this.isWaiting.set(false);
    this.#text = undefined;
    this.work.set({ status: 'idle' });
    this.builds.close();
  }

  /**
   * Registers the lockfile with the server, so that its packages' URLs can be served. Undefined if
   * it is registered already. Never rejects: a failure shows when the preview imports a package.
   */
  register(files: ReadonlyMap<string, string>): Promise<void> | undefined {
    const { lock } = pickPackageFiles(files);
    // Called on every keystroke, so the lockfile is only parsed if it changed.
    if (lock === this.#registered.lock) return this.#registered.done;
    if (lock === undefined || !readLock(lock)) return undefined;
    const done = this.#calls()
      .register(lock)
      .then(
        (packages) => this.builds.takePackages(packages),
        () => {
          if (this.#registered.lock === lock) this.#registered = { lock: undefined };
        },
      );
    this.#registered = { lock, done };
    return done;
  }

  /** Adds packages, or changes their versions. Resolves to whether it succeeded. */
  add(wanted: readonly WantedPackage[]): Promise<boolean> {
    return this.#enqueue({ add: wanted }, `Adding ${nameList(wanted)}…`);
  }

  /** Adds the packages in a user's text: "three", "three@0.180 d3", "npm install gsap". */
  addText(text: string): Promise<boolean> {
    const wanted = parseWanted(text);
    if (wanted) return this.add(wanted);
    this.#fail(new VitrineError('package_spec_invalid', text), false);
    return Promise.resolve(false);
  }

  /** Searches the registry. Rejects with a `VitrineError`. */
  search(text: string, signal: AbortSignal): Promise<SearchAnswer> {
    return this.#calls().search(text, signal);
  }

  /** Updates a package to its latest version. Resolves to whether it succeeded. */
  update(name: string): Promise<boolean> {
    const latest = this.details.get().get(name)?.latest;
    const change = latest ? { add: [{ name, range: `^${latest}` }] } : { update: [name] };
    return this.#enqueue(change, `Updating ${name}…`);
  }

  /** Removes a package. Resolves to a function that undoes it, or undefined on failure. */
  async remove(name: string): Promise<(() => void) | undefined> {
    const before = this.#files;
    const range = this.list.get().find((item) => item.name === name)?.range;
    const isDone = await this.#enqueue({ remove: [name] }, `Removing ${name}…`);
    if (!isDone || range === undefined) return undefined;
    const after = this.#files;
    return () => {
      // After other changes, restoring the files would undo those, so the package is added again.
      if (isSame(this.#files, after)) this.#write(before);
      else void this.add([{ name, range }]);
    };
  }

  /** Cancels the running change and the builds. Leaves the files alone. */
  cancel(): void {
    this.#change?.abort();
    this.work.set({ status: 'idle' });
    void this.builds.cancel();
  }

  /** Repeats the change that failed. */
  retry(): void {
    void this.#lastChange?.();
  }

  /** Dismisses a failed change. */
  dismiss(): void {
    if (this.work.get().status === 'failed') this.work.set({ status: 'idle' });
  }

  /** Loads the versions of these packages that weren't loaded yet. */
  async describe(list: readonly ListedPackage[]): Promise<void> {
    const missing = list.filter(({ name }) => !this.details.get().has(name));
    await Promise.all(missing.map(({ name }) => this.#loadDetails(name)));
  }

  async #loadDetails(name: string): Promise<void> {
    try {
      const details = await this.#calls().describe(name, this.#life.signal);
      this.details.set(new Map([...this.details.get(), [name, details]]));
    } catch (error) {
      // If the request fails, there are no other versions to choose from; the package still works.
      if (!(error instanceof VitrineError) && !this.#life.signal.aborted) throw error;
    }
  }

  #readFiles(files: ReadonlyMap<string, string>): void {
    const next = pickPackageFiles(files);
    if (isSame(next, this.#files)) return;
    const isManifestNew = next.manifest !== this.#files.manifest;
    if (next.lock !== this.#files.lock) this.builds.begin(next.lock);
    this.#files = next;
    const manifest = readManifest(next.manifest);
    this.problem.set(manifest.wishes ? null : manifest.problem);
    if (manifest.wishes) this.list.set(listPackages(manifest.wishes, next.lock));
    clearTimeout(this.#debounce);
    if (isManifestNew) this.dismiss();
    this.isWaiting.set(manifest.wishes !== undefined && !isResolved(manifest.wishes, next.lock));
    this.#debounce = setTimeout(() => this.#resolveIfStale(), debounceMs);
  }

  /** Has the dependencies resolved if the lockfile doesn't match them. */
  #resolveIfStale(): void {
    this.isWaiting.set(false);
    const { wishes } = readManifest(this.#files.manifest);
    if (!wishes || this.work.get().status !== 'idle' || isResolved(wishes, this.#files.lock))
      return;
    void this.#enqueue({}, 'Resolving versions…');
  }

  #enqueue(change: PackageChange, words: string): Promise<boolean> {
    this.#lastChange = () => this.#enqueue(change, words);
    const result = this.#queue.then(() => this.#apply(change, words));
    // A failure doesn't stop the queue; the caller handles it.
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #apply(change: PackageChange, words: string): Promise<boolean> {
    const controller = new AbortController();
    if (!this.#text) return false;
    this.#change = controller;
    this.work.set({ status: 'working', words });
    try {
      this.#saveResolution(await this.#resolve(change, controller.signal));
      this.work.set({ status: 'idle' });
      if (change.add) void this.builds.check(change.add.map(({ name }) => name));
      return true;
    } catch (error) {
      if (controller.signal.aborted) return false;
      if (!(error instanceof VitrineError)) throw error;
      this.#fail(error, Object.keys(change).length === 0);
      return false;
    }
  }

  #fail({ code, details }: VitrineError, isOfFile: boolean): void {
    this.work.set({ status: 'failed', code, details, isOfFile });
  }

  /** Resolves the change, and again if the files were edited meanwhile. */
  async #resolve(change: PackageChange, signal: AbortSignal): Promise<Resolved> {
    for (;;) {
      const files = this.#files;
      const resolved = await this.#calls().resolve(files, change, signal);
      signal.throwIfAborted();
      if (isSame(files, this.#files)) return resolved;
    }
  }

  #saveResolution(resolved: Resolved): void {
    this.#registered = { lock: resolved.lock };
    this.builds.takePackages(resolved.packages);
    this.#write(resolved);
  }

  /** Writes both files in one transaction, so that the preview never runs with only one. */
  #write({ manifest, lock }: PackageFiles): void {
    const text = this.#text;
    if (!text) return;
    text.doc.transact(() => {
      // First, because it may be too large, which must leave package.json unchanged.
      if (lock !== undefined) writeLock(text, lock);
      if (manifest !== undefined) text.edit(manifestPath, manifest);
    });
  }
}

function writeLock(text: ProjectText, lock: string): void {
  try {
    text.replace(lockPath, lock);
  } catch (error) {
    if (!(error instanceof VitrineError) || error.code !== 'file_too_large') throw error;
    throw new VitrineError('lock_too_large', error.details, { cause: error });
  }
}

function pickPackageFiles(files: ReadonlyMap<string, string>): PackageFiles {
  return { manifest: files.get(manifestPath), lock: files.get(lockPath) };
}

function isSame(a: PackageFiles, b: PackageFiles): boolean {
  return a.manifest === b.manifest && a.lock === b.lock;
}

/** Whether the lockfile is valid and matches the ranges. */
function isResolved(wishes: Wishes, lock: string | undefined): boolean {
  if (lock === undefined) return wishes.size === 0;
  return readLock(lock) !== undefined && fitsWishes(lock, wishes);
}

function listPackages(wishes: Wishes, lock: string | undefined): ListedPackage[] {
  const locked = lock === undefined ? undefined : readLock(lock)?.direct;
  return [...wishes]
    .map(([name, range]) => {
      const found = locked?.get(name);
      const { version, license, deprecated } = found ?? {};
      return { name, range, version, license, deprecated };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
