import { createPackageServer, readRegistrySettings, type PackageServer } from '@vitrine/esm';
import { VitrineError } from '@vitrine/project';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from './log.ts';
import type { Settings } from './settings.ts';

/** npm packages under `/npm` on the app's host: for anyone to read, and on behalf of nobody. */
export interface Packages extends Pick<PackageServer, 'fetch' | 'close'> {
  /**
   * Makes the addresses that a saved project's lock leads to known. `key` changes with the lock's
   * text. Tells the addresses of modules known to show all their names. It never rejects: what stays
   * unknown is told by the page that asks for it.
   */
  register(key: string, lock: string): Promise<ReadonlySet<string>>;
  /** Soon builds the packages of templates and examples, so that the first of these opens at once. */
  warmUp(): void;
}

export interface PackagesOptions {
  readonly settings: Settings;
  readonly appOrigins: readonly string[];
  /** The folder of this installation, whose own packages need no registry. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

/** A lock is made known anew after this long, should the store have let go of it. */
const knownForMs = 10 * 60_000;
const knownLocks = 1_000;
/** Whoever starts a server opens its page first. */
const warmUpAfterMs = 5_000;

export async function openPackages(options: PackagesOptions): Promise<Packages> {
  const { settings, appOrigins, root, env, log } = options;
  const server = await createPackageServer({
    folder: `${settings.dataDir}/packages`,
    appOrigins,
    registry: await readRegistrySettings({
      folder: root,
      env,
      tarballHosts: settings.tarballHosts,
    }),
    installed: [root],
    log,
  });
  /** Key → since when its lock is known, or about to be; the oldest goes first. */
  const known = new Map<
    string,
    { readonly at: number; readonly done: Promise<ReadonlySet<string>> }
  >();

  function register(key: string, lock: string): Promise<ReadonlySet<string>> {
    const before = known.get(key);
    if (before && Date.now() - before.at < knownForMs) return before.done;
    const done = makeKnown(key, lock);
    known.delete(key);
    known.set(key, { at: Date.now(), done });
    const [oldest] = known.keys();
    if (known.size > knownLocks && oldest !== undefined) known.delete(oldest);
    return done;
  }

  async function makeKnown(key: string, lock: string): Promise<ReadonlySet<string>> {
    try {
      const { plainAddresses, isComplete } = await server.register(lock);
      if (!isComplete) known.delete(key);
      return plainAddresses;
    } catch (error) {
      known.delete(key);
      if (!(error instanceof VitrineError)) {
        log.error('A lockfile could not be registered.', { key, reason: String(error) });
      }
      return new Set();
    }
  }

  let warmingUp: NodeJS.Timeout | undefined;

  async function warmUp(): Promise<void> {
    try {
      await server.warmUp(await readExampleLocks(root));
    } catch (error) {
      // Nobody waits for it, and what is not built is built when it is asked for.
      log.warn('Could not prebuild the packages of the examples.', { reason: String(error) });
    }
  }

  return {
    fetch: (request, from) => server.fetch(asNobody(request), from),
    register,
    warmUp: () => void (warmingUp = setTimeout(() => void warmUp(), warmUpAfterMs).unref()),
    close() {
      clearTimeout(warmingUp);
      return server.close();
    },
  };
}

async function readExampleLocks(root: string): Promise<string[]> {
  const locks: string[] = [];
  for await (const path of glob('examples/*/package-lock.json', { cwd: root })) {
    locks.push(await readFile(join(root, path), 'utf8'));
  }
  return locks;
}

/** Whoever asks, the answer is the same: what says who it is does not get there. */
function asNobody(request: Request): Request {
  const headers = new Headers(request.headers);
  for (const name of ['cookie', 'authorization']) headers.delete(name);
  return new Request(request, { headers });
}
