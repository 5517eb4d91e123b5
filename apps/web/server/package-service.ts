import { createPackageServer, readRegistrySettings, type PackageServer } from '@vitrine/esm';
import { VitrineError } from '@vitrine/project';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '@vitrine/backend';
import type { Settings } from './settings.ts';

/** npm packages under `/npm` on the app's host, public and without a session. */
export interface PackageService extends Pick<PackageServer, 'fetch' | 'close'> {
  /**
   * Registers a saved project's lockfile, so that its packages' URLs can be served. Never rejects:
   * errors surface when the preview requests a package.
   *
   * An import of a CommonJS module lists the names it uses in the query `names`, because its exports
   * may only be known at run time. Resolves to the URLs of modules that need no such query, since all
   * their export names are known.
   * @param key Cache key; different for each lockfile.
   */
  registerLockfile(key: string, lockfile: string): Promise<ReadonlySet<string>>;
  /** Schedules the build of the examples' packages, templates included, so that they open fast. */
  warmUp(): void;
}

interface PackageServiceOptions {
  readonly settings: Settings;
  readonly appOrigins: readonly string[];
  /** Root folder of this checkout, whose installed packages need no registry. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

/** A lockfile is registered again after this time, because the server may have evicted it. */
const registrationTtlMs = 10 * 60_000;
const maxRegistrations = 1_000;
/** Delay of the warm-up, so that it doesn't slow down the first page. */
const warmUpDelayMs = 5_000;

export async function openPackageService(options: PackageServiceOptions): Promise<PackageService> {
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
  /** Registrations by key, with their time (ms since the epoch). The oldest is evicted first. */
  const registrations = new Map<
    string,
    { readonly registeredAt: number; readonly result: Promise<ReadonlySet<string>> }
  >();

  function registerLockfile(key: string, lockfile: string): Promise<ReadonlySet<string>> {
    const existing = registrations.get(key);
    if (existing && Date.now() - existing.registeredAt < registrationTtlMs) return existing.result;
    const result = registerNow(key, lockfile);
    registrations.delete(key);
    registrations.set(key, { registeredAt: Date.now(), result });
    const [oldest] = registrations.keys();
    if (registrations.size > maxRegistrations && oldest !== undefined) registrations.delete(oldest);
    return result;
  }

  async function registerNow(key: string, lockfile: string): Promise<ReadonlySet<string>> {
    try {
      const { fullExportUrls, isComplete } = await server.register(lockfile);
      if (!isComplete) registrations.delete(key);
      return fullExportUrls;
    } catch (error) {
      registrations.delete(key);
      if (!(error instanceof VitrineError)) {
        log.error('Couldn’t register a lockfile.', { key, reason: String(error) });
      }
      return new Set();
    }
  }

  let warmUpTimer: NodeJS.Timeout | undefined;

  async function warmUp(): Promise<void> {
    try {
      await server.warmUp(await readExampleLockfiles(root));
    } catch (error) {
      // Not fatal: packages are built on request.
      log.warn('Couldn’t prebuild the examples’ packages.', { reason: String(error) });
    }
  }

  return {
    fetch: (request, client) => server.fetch(withoutCredentials(request), client),
    registerLockfile,
    warmUp: () => void (warmUpTimer = setTimeout(() => void warmUp(), warmUpDelayMs).unref()),
    close() {
      clearTimeout(warmUpTimer);
      return server.close();
    },
  };
}

async function readExampleLockfiles(root: string): Promise<string[]> {
  const lockfiles: string[] = [];
  for await (const path of glob('examples/*/package-lock.json', { cwd: root })) {
    lockfiles.push(await readFile(join(root, path), 'utf8'));
  }
  return lockfiles;
}

/** Removes credentials, because the response is the same for everyone. */
function withoutCredentials(request: Request): Request {
  const headers = new Headers(request.headers);
  for (const name of ['cookie', 'authorization']) headers.delete(name);
  return new Request(request, { headers });
}
