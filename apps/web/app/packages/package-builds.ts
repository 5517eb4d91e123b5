import { packageAddresses, readLock, VitrineError } from '@vitrine/project';
import { Source } from '../workspace/source.ts';
import type { BuildState, PackageCalls, ResolvedPackage } from './package-calls.ts';

const pollMs = 300;
/** The preview may take so many to ask for its first package. */
const idlePolls = 5;

/** How far the packages of one lock are as modules, from `begin` to the next one or `close`. */
export class PackageBuilds {
  /** What is being fetched and built; null while nothing is. */
  readonly progress = new Source<string | null>(null);
  /** Packages that cannot be had as the lock says, by name; a new lock begins without any. */
  readonly failures = new Source<ReadonlyMap<string, VitrineError>>(new Map());
  /** What a package weighs as built, by "NAME@VERSION", as far as it was told. */
  readonly sizes = new Source<ReadonlyMap<string, number>>(new Map());
  /** Modules known to show all their names. An address means one thing for good, so none leaves. */
  readonly plainAddresses = new Set<string>();
  readonly #calls: () => PackageCalls;
  #life = new AbortController();
  #lock: string | undefined;
  /** All of this lock's packages were checked. */
  #isChecked = false;

  constructor(calls: () => PackageCalls) {
    this.#calls = calls;
  }

  /** The preview is about to ask for the packages of this lock. */
  begin(lock: string | undefined): void {
    this.close();
    this.#life = new AbortController();
    this.#lock = lock;
    void this.#watch(this.#life.signal);
  }

  close(): void {
    this.#life.abort();
    this.#isChecked = false;
    this.progress.set(null);
    this.failures.set(new Map());
  }

  /** Ends what is fetched and built, as far as nobody else waits for it. It never rejects. */
  async cancel(): Promise<void> {
    if (this.progress.get() === null) return;
    const addresses = [...addressesOf(this.#lock).values()];
    this.close();
    // Without an answer the builds end by themselves.
    await this.#calls()
      .cancel(addresses)
      .catch(() => undefined);
  }

  takePackages(packages: readonly ResolvedPackage[]): void {
    const sizes = packages.flatMap(({ name, version, bytes }) =>
      bytes === undefined ? [] : [[`${name}@${version}`, bytes] as const],
    );
    this.sizes.set(new Map([...this.sizes.get(), ...sizes]));
    for (const { plainAddresses = [] } of packages)
      for (const address of plainAddresses) this.plainAddresses.add(address);
  }

  /** Something that runs could not be loaded: perhaps a package is why. */
  suspect(): void {
    if (this.#isChecked) return;
    this.#isChecked = true;
    void this.check();
  }

  /** Has packages built, those of these names or all, and finds out which cannot be and why. */
  async check(names?: readonly string[]): Promise<void> {
    const { signal } = this.#life;
    const lock = this.#lock;
    const wanted = [...addressesOf(lock)].filter(([name]) => !names || names.includes(name));
    const found = await Promise.all(wanted.map((each) => this.#findFailure(each, signal)));
    if (signal.aborted || lock === undefined) return;
    const failed = found.filter((each) => each !== undefined);
    this.failures.set(new Map([...this.failures.get(), ...failed]));
    // What was built has a size now; without an answer it is not shown.
    this.takePackages(
      await this.#calls()
        .register(lock)
        .catch(() => []),
    );
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
      // Some packages consist of parts alone.
      return error.code === 'package_subpath_not_found' ? undefined : [name, error];
    }
  }

  /** Tells what is being built, until nothing is any more. */
  async #watch(signal: AbortSignal): Promise<void> {
    const addresses = [...addressesOf(this.#lock).values()];
    let idle = addresses.length > 0 ? 0 : idlePolls;
    while (idle < idlePolls && (await pauseFor(pollMs, signal))) {
      // Without an answer there is nothing to tell; what runs says so itself.
      const states = await this.#calls()
        .progress(addresses, signal)
        .catch(() => []);
      if (signal.aborted) break;
      const words = describeProgress(addresses, states);
      this.progress.set(words);
      idle = words === null ? idle + 1 : 0;
      if (states.length > 0 && states.every((state) => state === 'ready')) break;
    }
    if (!signal.aborted) this.progress.set(null);
  }
}

/** Name → where the preview gets it from. */
export function addressesOf(lock: string | undefined): ReadonlyMap<string, string> {
  const read = lock === undefined ? undefined : readLock(lock);
  return read ? packageAddresses(read, 'development') : new Map<string, string>();
}

/** "Installing three@0.187.0… 2 of 3", or null when nothing is being built. */
function describeProgress(
  addresses: readonly string[],
  states: readonly BuildState[],
): string | null {
  const index = states.findIndex((state) => state !== 'absent' && state !== 'ready');
  if (index < 0) return null;
  const name = addresses[index]?.replace('/npm/', '').replace(/~.*$/, '') ?? '';
  const text = `Installing ${name}…`;
  const ready = states.filter((state) => state === 'ready').length;
  return states.length > 1 ? `${text} ${ready} of ${states.length}` : text;
}

/** False where the signal ended it. */
function pauseFor(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), ms);
    const end = () => {
      clearTimeout(timer);
      resolve(false);
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
