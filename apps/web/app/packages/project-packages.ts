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

/** A package that the project lists. */
export interface ListedPackage {
  readonly name: string;
  /** What package.json wishes for. */
  readonly range: string;
  /** What the lock says it is; undefined while that is not known. */
  readonly version: string | undefined;
  readonly license: string | undefined;
  readonly deprecated: string | undefined;
}

/** What is being done about the packages. */
export type PackageWork =
  | { readonly status: 'idle' }
  | { readonly status: 'working'; readonly words: string }
  | {
      readonly status: 'failed';
      readonly code: ErrorCode;
      readonly details: string | undefined;
      /** What package.json itself asks for cannot be had, whoever wrote it there. */
      readonly isOfFile: boolean;
    };

/** After this long without a key press a package.json that was edited by hand is acted on. */
const pauseMs = 800;

/**
 * A project's packages: what its two files say of them, and changes to those, one after the other.
 * The files are the truth; this reads them, and asks the server which versions fit when they and
 * the wishes have parted. It follows the text from `open` to `close`.
 */
export class ProjectPackages {
  readonly list: Source<readonly ListedPackage[]>;
  readonly work = new Source<PackageWork>({ status: 'idle' });
  /** True while an edit of package.json waits for a pause in typing, before versions are looked for. */
  readonly isWaiting = new Source(false);
  /** Why package.json does not read as one; null where it does. */
  readonly problem: Source<ManifestProblem | null>;
  /** How far they are as modules, and which cannot be had. */
  readonly builds: PackageBuilds;
  /** What the registry says of packages by name, as far as it was asked. */
  readonly details = new Source<ReadonlyMap<string, PackageDetails>>(new Map());
  readonly #calls: () => PackageCalls;
  #text: ProjectText | undefined;
  #files: PackageFiles;
  #life = new AbortController();
  /** Ends the change that is being made. */
  #change: AbortController | undefined;
  #lastChange: (() => Promise<boolean>) | undefined;
  /** Changes wait for each other; it never rejects. */
  #turn: Promise<unknown> = Promise.resolve();
  #pause: ReturnType<typeof setTimeout> | undefined;
  /** The lock whose addresses the server was told of last, or is being told of. */
  #registered: { lock: string | undefined; done?: Promise<void> } = { lock: undefined };

  constructor(files: ReadonlyMap<string, string>, calls: () => PackageCalls) {
    this.#calls = calls;
    this.builds = new PackageBuilds(calls);
    this.#files = pick(files);
    const manifest = readManifest(this.#files.manifest);
    this.problem = new Source(manifest.wishes ? null : manifest.problem);
    this.list = new Source(listPackages(manifest.wishes ?? new Map(), this.#files.lock));
  }

  /** Follows the files of an open document, and looks for versions where they lack any. */
  open(text: ProjectText): void {
    this.#life = new AbortController();
    this.#text = text;
    const off = text.files.subscribe(() => {
      const work = this.work.get();
      // Who goes on editing has left the package that could not be added behind.
      if (work.status === 'failed' && !work.isOfFile) this.dismiss();
      this.#read(text.files.get());
    });
    this.#life.signal.addEventListener('abort', off);
    this.#read(text.files.get());
    this.#settle();
    this.builds.begin(this.#files.lock);
  }

  close(): void {
    this.#life.abort();
    this.#change?.abort();
    clearTimeout(this.#pause);
    this.isWaiting.set(false);
    this.#text = undefined;
    this.work.set({ status: 'idle' });
    this.builds.close();
  }

  /**
   * Makes the server know the addresses that these files lead to; undefined where it does already.
   * It never rejects: what the server then does not know is told by what runs.
   */
  register(files: ReadonlyMap<string, string>): Promise<void> | undefined {
    const { lock } = pick(files);
    // Asked with every key: a lock is only read when it is another. Who asks meanwhile waits as well.
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

  /** Adds packages, or gives those that are there another version. Resolves to whether it went well. */
  add(wanted: readonly WantedPackage[]): Promise<boolean> {
    return this.#enqueue({ add: wanted }, `Adding ${nameList(wanted)}…`);
  }

  /** Adds what a person typed: "three", "three@0.180 d3", "npm install gsap". */
  addText(text: string): Promise<boolean> {
    const wanted = parseWanted(text);
    if (wanted) return this.add(wanted);
    this.#fail(new VitrineError('package_spec_invalid', text), false);
    return Promise.resolve(false);
  }

  /** Packages that fit a text. Rejects as `PackageCalls` does. */
  search(text: string, signal: AbortSignal): Promise<SearchAnswer> {
    return this.#calls().search(text, signal);
  }

  /** Brings a package to the latest version there is. */
  update(name: string): Promise<boolean> {
    const latest = this.details.get().get(name)?.latest;
    const change = latest ? { add: [{ name, range: `^${latest}` }] } : { update: [name] };
    return this.#enqueue(change, `Updating ${name}…`);
  }

  /** Takes a package off the list; resolves to what puts it back, or undefined where that failed. */
  async remove(name: string): Promise<(() => void) | undefined> {
    const before = this.#files;
    const range = this.list.get().find((item) => item.name === name)?.range;
    const isDone = await this.#enqueue({ remove: [name] }, `Removing ${name}…`);
    if (!isDone || range === undefined) return undefined;
    const after = this.#files;
    return () => {
      // What else has changed since stays, so then the package is added anew.
      if (isSame(this.#files, after)) this.#write(before);
      else void this.add([{ name, range }]);
    };
  }

  /** Ends the change that is being made, and what is built; the files stay as they are. */
  cancel(): void {
    this.#change?.abort();
    this.work.set({ status: 'idle' });
    void this.builds.cancel();
  }

  /** Makes the change that failed once more. */
  retry(): void {
    void this.#lastChange?.();
  }

  /** Puts a failure aside. */
  dismiss(): void {
    if (this.work.get().status === 'failed') this.work.set({ status: 'idle' });
  }

  /** Asks the registry about every one of these packages that it was not asked about yet. */
  async describe(list: readonly ListedPackage[]): Promise<void> {
    const unknown = list.filter(({ name }) => !this.details.get().has(name));
    await Promise.all(unknown.map(({ name }) => this.#describe(name)));
  }

  async #describe(name: string): Promise<void> {
    try {
      const details = await this.#calls().describe(name, this.#life.signal);
      this.details.set(new Map([...this.details.get(), [name, details]]));
    } catch (error) {
      // Without an answer there are no other versions to choose from; the package itself works on.
      if (!(error instanceof VitrineError) && !this.#life.signal.aborted) throw error;
    }
  }

  #read(files: ReadonlyMap<string, string>): void {
    const next = pick(files);
    if (isSame(next, this.#files)) return;
    const isManifestNew = next.manifest !== this.#files.manifest;
    if (next.lock !== this.#files.lock) this.builds.begin(next.lock);
    this.#files = next;
    const manifest = readManifest(next.manifest);
    this.problem.set(manifest.wishes ? null : manifest.problem);
    if (manifest.wishes) this.list.set(listPackages(manifest.wishes, next.lock));
    clearTimeout(this.#pause);
    if (isManifestNew) this.dismiss();
    this.isWaiting.set(manifest.wishes !== undefined && !isSettled(manifest.wishes, next.lock));
    this.#pause = setTimeout(() => this.#settle(), pauseMs);
  }

  /** Where the lock was not made from the wishes of now, asks for one that is. */
  #settle(): void {
    this.isWaiting.set(false);
    const { wishes } = readManifest(this.#files.manifest);
    if (!wishes || this.work.get().status !== 'idle' || isSettled(wishes, this.#files.lock)) return;
    void this.#enqueue({}, 'Resolving versions…');
  }

  #enqueue(change: PackageChange, words: string): Promise<boolean> {
    this.#lastChange = () => this.#enqueue(change, words);
    const turn = this.#turn.then(() => this.#make(change, words));
    // What went wrong is told by the turn itself; the next one comes all the same.
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #make(change: PackageChange, words: string): Promise<boolean> {
    const begun = new AbortController();
    if (!this.#text) return false;
    this.#change = begun;
    this.work.set({ status: 'working', words });
    try {
      this.#take(await this.#resolve(change, begun.signal));
      this.work.set({ status: 'idle' });
      if (change.add) void this.builds.check(change.add.map(({ name }) => name));
      return true;
    } catch (error) {
      if (begun.signal.aborted) return false;
      if (!(error instanceof VitrineError)) throw error;
      this.#fail(error, Object.keys(change).length === 0);
      return false;
    }
  }

  #fail({ code, details }: VitrineError, isOfFile: boolean): void {
    this.work.set({ status: 'failed', code, details, isOfFile });
  }

  /** What was typed into the files while the server thought counts: then it is asked once more. */
  async #resolve(change: PackageChange, signal: AbortSignal): Promise<Resolved> {
    for (;;) {
      const asked = this.#files;
      const resolved = await this.#calls().resolve(asked, change, signal);
      signal.throwIfAborted();
      if (isSame(asked, this.#files)) return resolved;
    }
  }

  #take(resolved: Resolved): void {
    this.#registered = { lock: resolved.lock };
    this.builds.takePackages(resolved.packages);
    this.#write(resolved);
  }

  /** Both files at once, so that nothing runs with one of them. */
  #write({ manifest, lock }: PackageFiles): void {
    const text = this.#text;
    if (!text) return;
    text.doc.transact(() => {
      // It is the one that may be too large, and then nothing is written.
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

function pick(files: ReadonlyMap<string, string>): PackageFiles {
  return { manifest: files.get(manifestPath), lock: files.get(lockPath) };
}

function isSame(a: PackageFiles, b: PackageFiles): boolean {
  return a.manifest === b.manifest && a.lock === b.lock;
}

function isSettled(wishes: Wishes, lock: string | undefined): boolean {
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
