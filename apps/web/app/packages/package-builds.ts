import { computePackageUrls, isBuildTool, parseLockfile } from '@vitrine/esm/lockfile';
import { listFullExportUrls, type DescribedPackage } from '@vitrine/esm/messages';
import { VitrineError } from '@vitrine/project';
import { ValueStore } from '../workspace/value-store.ts';
import type { BuildProgress, PackageApi } from './package-api.ts';

const pollMs = 300;
/** Polls without progress until there are fewer: the preview requests its first package late. */
const maxIdlePolls = 5;
/** Interval of polls after that. A page may import a package at any time: `await import('three')`. */
const idlePollMs = 1_500;

/** Tracks the server's builds of one lockfile's packages, from `start` to the next or `close`. */
export class PackageBuilds {
  /** Progress message, or null while nothing is being built. */
  readonly progress = new ValueStore<string | null>(null);
  /** Packages whose build failed, by name. Cleared for a new lockfile. */
  readonly failures = new ValueStore<ReadonlyMap<string, VitrineError>>(new Map());
  /** Size of built packages in bytes, by "NAME@VERSION", where the server reported it. */
  readonly sizes = new ValueStore<ReadonlyMap<string, number>>(new Map());
  /** See `listFullExportUrls`. A URL's content never changes, so entries are never removed. */
  readonly fullExportUrls = new Set<string>();
  readonly #calls: () => PackageApi;
  /** Lists the specifiers with which the project imports packages now. */
  readonly #listImports: () => Promise<readonly string[]>;
  #life = new AbortController();
  #lockfile: string | undefined;
  /** Packages of this lockfile that were checked after a failure. */
  readonly #checked = new Set<string>();

  constructor(calls: () => PackageApi, listImports: () => Promise<readonly string[]>) {
    this.#calls = calls;
    this.#listImports = listImports;
  }

  /** Starts to track a lockfile whose packages the preview is about to request. */
  start(lockfile: string | undefined): void {
    this.close();
    this.#life = new AbortController();
    this.#lockfile = lockfile;
    void this.#watch(this.#life.signal);
  }

  close(): void {
    this.#life.abort();
    this.#checked.clear();
    this.progress.set(null);
    this.failures.set(new Map());
  }

  /** Cancels the builds on the server, except those that others wait for. Never rejects. */
  async cancel(): Promise<void> {
    if (this.progress.get() === null) return;
    const addresses = [...getPackageUrls(this.#lockfile).values()];
    this.close();
    // If the request fails, the builds just finish.
    await this.#calls()
      .cancel(addresses)
      .catch(() => undefined);
  }

  /** Records the sizes and plain modules of packages, as reported by the server. */
  addPackages(packages: readonly DescribedPackage[]): void {
    // Known sizes may be those of the modules that the project imports.
    this.sizes.set(new Map([...listSizes(packages), ...this.sizes.get()]));
    for (const address of listFullExportUrls(packages)) this.fullExportUrls.add(address);
  }

  /**
   * Called when the preview failed to load a module, which may be a package that failed to build.
   *
   * @param imported Names of the packages that the project's files import; others aren't built.
   */
  onLoadFailure(imported: readonly string[]): void {
    const names = imported.filter((name) => !this.#checked.has(name));
    for (const name of names) this.#checked.add(name);
    if (names.length > 0) void this.buildAndCheck(names);
  }

  /** Builds the packages with these names and updates `failures` and `sizes`. */
  async buildAndCheck(names: readonly string[]): Promise<void> {
    const { signal } = this.#life;
    const checked = [...getPackageUrls(this.#lockfile)].filter(([name]) => names.includes(name));
    const results = await Promise.all(checked.map((each) => this.#findFailure(each, signal)));
    if (signal.aborted) return;
    const failed = results.filter((each) => each !== undefined);
    this.failures.set(new Map([...this.failures.get(), ...failed]));
    await this.loadSizes();
  }

  /**
   * Loads the sizes of built packages, as far as the project imports them. If a request fails, sizes
   * aren't shown.
   */
  async loadSizes(): Promise<void> {
    const lockfile = this.#lockfile;
    if (lockfile === undefined) return;
    const packages = await this.#listImports()
      .then((imports) => this.#calls().register(lockfile, imports))
      .catch(() => []);
    this.sizes.set(new Map([...this.sizes.get(), ...listSizes(packages)]));
    this.addPackages(packages);
  }

  async #findFailure(
    [name, address]: readonly [string, string],
    signal: AbortSignal,
  ): Promise<readonly [string, VitrineError] | undefined> {
    try {
      await this.#calls().build(address, signal);
      return undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!(error instanceof VitrineError)) throw error;
      // Some packages have no main module, only subpaths.
      return error.code === 'package_subpath_not_found' ? undefined : [name, error];
    }
  }

  /** Polls the builds and sets `progress`, until all packages that a page may load are ready. */
  async #watch(signal: AbortSignal): Promise<void> {
    const addresses = [...getPackageUrls(this.#lockfile)].flatMap(([name, address]) =>
      name.startsWith('@types/') || isBuildTool(name) ? [] : [address],
    );
    let idlePolls = 0;
    const isReady = ({ states }: BuildProgress) => states.every((state) => state === 'ready');
    while (await sleep(idlePolls < maxIdlePolls ? pollMs : idlePollMs, signal)) {
      // A page in the background requests nothing new.
      if (idlePolls >= maxIdlePolls && isHidden()) continue;
      // If the request fails, there is no progress to show; the preview reports its own errors.
      const progress = await this.#calls()
        .progress(addresses, signal)
        .catch(() => undefined);
      if (signal.aborted) return;
      const message = progress ? describeProgress(addresses, progress) : null;
      this.progress.set(message);
      idlePolls = message === null ? idlePolls + 1 : 0;
      // Twice, because a package may have just been built whose imports are requested next.
      if (progress && isReady(progress) && idlePolls > 1) return;
    }
  }
}

/** Sizes by "NAME@VERSION" of the packages that have one. */
function listSizes(packages: readonly DescribedPackage[]): (readonly [string, number])[] {
  return packages.flatMap(({ name, version, bytes }) =>
    bytes === undefined ? [] : [[`${name}@${version}`, bytes] as const],
  );
}

/** Name of each direct dependency → the URL from which the preview imports it. */
export function getPackageUrls(lockfile: string | undefined): ReadonlyMap<string, string> {
  const read = lockfile === undefined ? undefined : parseLockfile(lockfile);
  return read ? computePackageUrls(read, 'development') : new Map<string, string>();
}

/** Whether the app's page isn't visible. Tests have no document. */
function isHidden(): boolean {
  return 'document' in globalThis && document.hidden;
}

/** "Installing antd@5.29.3… 23 of 61 packages", or null when nothing is being built. */
function describeProgress(
  addresses: readonly string[],
  { states, needed, built }: BuildProgress,
): string | null {
  const index = states.findIndex((state) => state !== 'absent' && state !== 'ready');
  if (index < 0) return null;
  const name = addresses[index]?.replace('/npm/', '').replace(/~.*$/, '') ?? '';
  const text = `Installing ${name}…`;
  return needed > 1 ? `${text} ${built} of ${needed} packages` : text;
}

/** Resolves to true after the time, or to false once the signal aborts. */
function sleep(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), ms);
    const stop = () => {
      clearTimeout(timer);
      resolve(false);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
