import { parseLockfile } from '@vitrine/esm/lockfile';
import type {
  PackageInfo,
  PackageRequest,
  ResolveResponse,
  SearchResponse,
} from '@vitrine/esm/messages';
import { VitrineError, type ErrorCode } from '@vitrine/project';
import { Timer } from '../schedule.ts';
import type { ProjectText } from '../workspace/code/project-text.ts';
import { ValueStore } from '../workspace/value-store.ts';
import {
  matchesLockfile,
  lockfilePath,
  manifestPath,
  parseProjectManifest,
  type ManifestError,
  type DependencyRanges,
} from './project-manifest.ts';
import { PackageBuilds } from './package-builds.ts';
import type { PackageApi, PackageChange, PackageJsonFiles } from './package-api.ts';
import { formatPackageNames, parsePackageRequests } from './package-requests.ts';
import { findImportedSpecifiers } from './imported-packages.ts';

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
export type PackageOperation =
  | { readonly status: 'idle' }
  | { readonly status: 'working'; readonly message: string }
  | {
      readonly status: 'failed';
      readonly code: ErrorCode;
      readonly details: string | undefined;
      /** The dependencies in package.json can't be resolved, as opposed to a change to them. */
      readonly isFromManifest: boolean;
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
  readonly list: ValueStore<readonly ListedPackage[]>;
  readonly operation = new ValueStore<PackageOperation>({ status: 'idle' });
  /** Whether an edited package.json waits for a pause in typing before it is resolved. */
  readonly isPending = new ValueStore(false);
  /** Why package.json is invalid, or null. */
  readonly manifestError: ValueStore<ManifestError | null>;
  readonly builds: PackageBuilds;
  /** What the registry knows, by package name, where it was requested. */
  readonly registryInfo = new ValueStore<ReadonlyMap<string, PackageInfo>>(new Map());
  readonly #calls: () => PackageApi;
  #text: ProjectText | undefined;
  #files: PackageJsonFiles;
  #life = new AbortController();
  /** Aborts the running change. */
  #change: AbortController | undefined;
  /** Repeats the last change. */
  #lastChange: (() => Promise<boolean>) | undefined;
  /** Resolves when all queued changes are done. Never rejects. Undefined before the first change. */
  #queue: Promise<unknown> | undefined;
  readonly #debounce = new Timer();
  /** The lockfile that was registered last, or is being registered until `done`. */
  #registered: { lockfile: string | undefined; done?: Promise<void> } = { lockfile: undefined };

  constructor(files: ReadonlyMap<string, string>, calls: () => PackageApi) {
    this.#calls = calls;
    this.builds = new PackageBuilds(calls, () => this.#listImports());
    this.#files = pickPackageFiles(files);
    const manifest = parseProjectManifest(this.#files.manifest);
    this.manifestError = new ValueStore(manifest.ranges ? null : manifest.problem);
    this.list = new ValueStore(listPackages(manifest.ranges ?? new Map(), this.#files.lockfile));
  }

  /** Follows the files of an open document, and resolves missing versions. */
  open(text: ProjectText): void {
    this.#life = new AbortController();
    this.#text = text;
    const unsubscribe = text.files.subscribe(() => {
      const work = this.operation.get();
      // An edit dismisses a failed change.
      if (work.status === 'failed' && !work.isFromManifest) this.dismiss();
      this.#readFiles(text.files.get());
    });
    this.#life.signal.addEventListener('abort', unsubscribe);
    this.#readFiles(text.files.get());
    this.#resolveIfStale();
    this.builds.start(this.#files.lockfile);
  }

  close(): void {
    this.#life.abort();
    this.#change?.abort();
    this.#debounce.stop();
    this.isPending.set(false);
    this.#text = undefined;
    this.operation.set({ status: 'idle' });
    this.builds.close();
  }

  /**
   * Registers the lockfile with the server, so that its packages' URLs can be served. Undefined if
   * it is registered already. Never rejects: a failure shows when the preview imports a package.
   */
  register(files: ReadonlyMap<string, string>): Promise<void> | undefined {
    const { lockfile } = pickPackageFiles(files);
    // Called on every keystroke, so the lockfile is only parsed if it changed.
    if (lockfile === this.#registered.lockfile) return this.#registered.done;
    if (lockfile === undefined || !parseLockfile(lockfile)) return undefined;
    const done = this.#calls()
      .register(lockfile)
      .then(
        (packages) => {
          if (this.#registered.lockfile === lockfile) this.#registered = { lockfile };
          return this.builds.addPackages(packages);
        },
        () => {
          if (this.#registered.lockfile === lockfile) this.#registered = { lockfile: undefined };
        },
      );
    this.#registered = { lockfile, done };
    return done;
  }

  /**
   * Resolves when the changes so far are done or have failed, among them the one that resolves missing
   * versions. Undefined if there was none. Never rejects.
   */
  whenIdle(): Promise<unknown> | undefined {
    return this.#queue;
  }

  /** Adds packages, or changes their versions. Resolves to whether it succeeded. */
  add(wanted: readonly PackageRequest[]): Promise<boolean> {
    return this.#enqueue({ add: wanted }, `Adding ${formatPackageNames(wanted)}…`);
  }

  /** Adds the packages in a user's text: "three", "three@0.180 d3", "npm install gsap". */
  addFromText(text: string): Promise<boolean> {
    const wanted = parsePackageRequests(text);
    if (wanted) return this.add(wanted);
    this.#fail(new VitrineError('package_spec_invalid', text), false);
    return Promise.resolve(false);
  }

  /** Searches the registry. Rejects with a `VitrineError`. */
  search(text: string, signal: AbortSignal): Promise<SearchResponse> {
    return this.#calls().search(text, signal);
  }

  /** Updates a package to its latest version. Resolves to whether it succeeded. */
  update(name: string): Promise<boolean> {
    const latest = this.registryInfo.get().get(name)?.tags['latest'];
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

  /** The package with the most dependencies, if a change failed because there are too many. */
  findHeaviest(): string | undefined {
    const work = this.operation.get();
    if (work.status !== 'failed' || work.code !== 'too_many_packages') return undefined;
    return this.list.get().find(({ name }) => name === work.details)?.name;
  }

  /** Cancels the running change and the builds. Leaves the files alone. */
  cancel(): void {
    this.#change?.abort();
    this.operation.set({ status: 'idle' });
    void this.builds.cancel();
  }

  /** Repeats the change that failed. */
  retry(): void {
    void this.#lastChange?.();
  }

  /** Dismisses a failed change. */
  dismiss(): void {
    if (this.operation.get().status === 'failed') this.operation.set({ status: 'idle' });
  }

  /** Loads what the registry knows about these packages, unless it was loaded before. */
  async loadRegistryInfo(list: readonly ListedPackage[]): Promise<void> {
    const missing = list.filter(({ name }) => !this.registryInfo.get().has(name));
    await Promise.all(missing.map(({ name }) => this.#loadInfo(name)));
  }

  async #loadInfo(name: string): Promise<void> {
    try {
      const info = await this.#calls().getInfo(name, this.#life.signal);
      this.registryInfo.set(new Map([...this.registryInfo.get(), [name, info]]));
    } catch (error) {
      // If the request fails, there are no other versions to choose from; the package still works.
      if (!(error instanceof VitrineError) && !this.#life.signal.aborted) throw error;
    }
  }

  /** Lists the specifiers with which the project imports packages now. */
  async #listImports(): Promise<readonly string[]> {
    const names = this.list.get().map(({ name }) => name);
    return findImportedSpecifiers(this.#text?.files.get() ?? new Map(), names);
  }

  #readFiles(files: ReadonlyMap<string, string>): void {
    const next = pickPackageFiles(files);
    if (isSame(next, this.#files)) return;
    const isManifestNew = next.manifest !== this.#files.manifest;
    if (next.lockfile !== this.#files.lockfile) this.builds.start(next.lockfile);
    this.#files = next;
    const manifest = parseProjectManifest(next.manifest);
    this.manifestError.set(manifest.ranges ? null : manifest.problem);
    if (manifest.ranges) this.list.set(listPackages(manifest.ranges, next.lockfile));
    if (isManifestNew) this.dismiss();
    this.isPending.set(
      manifest.ranges !== undefined && !isResolved(manifest.ranges, next.lockfile),
    );
    this.#debounce.start(debounceMs, () => this.#resolveIfStale());
  }

  /**
   * Resolves missing versions at once, without a pause. The promise resolves when that is done or has failed, and
   * never rejects. Undefined if no version is missing.
   */
  resolveNow(): Promise<unknown> | undefined {
    this.#debounce.stop();
    return this.#resolveIfStale() ? this.#queue : undefined;
  }

  /** Has the dependencies resolved if the lockfile doesn't match them. Returns whether it doesn't. */
  #resolveIfStale(): boolean {
    this.isPending.set(false);
    const { ranges } = parseProjectManifest(this.#files.manifest);
    if (
      !ranges ||
      this.operation.get().status !== 'idle' ||
      isResolved(ranges, this.#files.lockfile)
    )
      return false;
    void this.#enqueue({}, 'Resolving versions…');
    return true;
  }

  #enqueue(change: PackageChange, words: string): Promise<boolean> {
    this.#lastChange = () => this.#enqueue(change, words);
    const result = (this.#queue ?? Promise.resolve()).then(() => this.#apply(change, words));
    // A failure doesn't stop the queue; the caller handles it.
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #apply(change: PackageChange, words: string): Promise<boolean> {
    const controller = new AbortController();
    if (!this.#text) return false;
    this.#change = controller;
    this.operation.set({ status: 'working', message: words });
    try {
      this.#saveResolution(await this.#resolve(change, controller.signal));
      this.operation.set({ status: 'idle' });
      if (change.add) void this.builds.buildAndCheck(change.add.map(({ name }) => name));
      return true;
    } catch (error) {
      if (controller.signal.aborted) return false;
      if (!(error instanceof VitrineError)) throw error;
      this.#fail(error, Object.keys(change).length === 0);
      return false;
    }
  }

  #fail({ code, details }: VitrineError, isOfFile: boolean): void {
    this.operation.set({ status: 'failed', code, details, isFromManifest: isOfFile });
  }

  /** Resolves the change, and again if the files were edited meanwhile. */
  async #resolve(change: PackageChange, signal: AbortSignal): Promise<ResolveResponse> {
    for (;;) {
      const files = this.#files;
      try {
        const resolved = await this.#calls().resolve(files, change, signal);
        signal.throwIfAborted();
        if (isSame(files, this.#files)) return resolved;
      } catch (error) {
        // A failure of the earlier files isn't one of these.
        if (signal.aborted || isSame(files, this.#files)) throw error;
      }
    }
  }

  #saveResolution({ packageJson, lock, packages }: ResolveResponse): void {
    this.#registered = { lockfile: lock };
    this.builds.addPackages(packages);
    this.#write({ manifest: packageJson, lockfile: lock });
  }

  /** Writes both files in one transaction, so that the preview never runs with only one. */
  #write({ manifest, lockfile }: PackageJsonFiles): void {
    const text = this.#text;
    if (!text) return;
    text.doc.transact(() => {
      // First, because it may be too large, which must leave package.json unchanged.
      if (lockfile !== undefined) writeLockfile(text, lockfile);
      if (manifest !== undefined) text.edit(manifestPath, manifest);
    });
  }
}

function writeLockfile(text: ProjectText, lockfile: string): void {
  try {
    text.replace(lockfilePath, lockfile);
  } catch (error) {
    if (!(error instanceof VitrineError) || error.code !== 'file_too_large') throw error;
    throw new VitrineError('lock_too_large', error.details, { cause: error });
  }
}

function pickPackageFiles(files: ReadonlyMap<string, string>): PackageJsonFiles {
  return { manifest: files.get(manifestPath), lockfile: files.get(lockfilePath) };
}

function isSame(a: PackageJsonFiles, b: PackageJsonFiles): boolean {
  return a.manifest === b.manifest && a.lockfile === b.lockfile;
}

/** Whether the lockfile is valid and matches the ranges. */
function isResolved(ranges: DependencyRanges, lockfile: string | undefined): boolean {
  if (lockfile === undefined) return ranges.size === 0;
  return parseLockfile(lockfile) !== undefined && matchesLockfile(lockfile, ranges);
}

function listPackages(ranges: DependencyRanges, lockfile: string | undefined): ListedPackage[] {
  const locked = lockfile === undefined ? undefined : parseLockfile(lockfile)?.direct;
  return [...ranges]
    .map(([name, range]) => {
      const found = locked?.get(name);
      const { version, license, deprecated } = found ?? {};
      return { name, range, version, license, deprecated };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
