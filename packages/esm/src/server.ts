import { findErrorCode, VitrineError } from '@vitrine/project';
import { parsePackageUrl, type RangeUrl } from './package-url.ts';
import { respondError, respondPreflight, respondRedirect } from './responses.ts';
import { clientAddress } from './client-address.ts';
import {
  createContext,
  resolveRange,
  rangeCacheSeconds,
  type Context,
  type PackageServerOptions,
} from './context.ts';
import { describeReason } from './log.ts';
import { listFullExportUrls } from './messages.ts';
import { findServedPackage } from './served-package.ts';
import { serveExact } from './serve-exact.ts';
import { respondToService, respondToPost, registerLockfile } from './services.ts';
import { parseSpec } from './resolve/package-specs.ts';
import { warmUp } from './warm-up.ts';

/** What `PackageServer.register` returns about the packages of a lockfile. */
export interface RegisteredPackages {
  /** See `listFullExportUrls`. */
  readonly fullExportUrls: ReadonlySet<string>;
  /** False while some packages are not built. A later call of `register` will know more about them. */
  readonly isComplete: boolean;
}

export interface PackageServer {
  /**
   * Responds to requests under /npm; undefined for every other path. Reads no cookies. Never
   * throws.
   *
   * @param client IP address of the client, for rate limits. Without it there are none.
   */
  fetch(request: Request, client?: { readonly address: string }): Promise<Response | undefined>;
  /**
   * Makes every URL of a package-lock.json known, like the POST request does.
   *
   * @throws VitrineError
   */
  register(lockfile: string): Promise<RegisteredPackages>;
  /**
   * Builds the packages of these package-lock.json files while no client is waiting, until `close`.
   */
  warmUp(lockfiles: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Creates a server of npm packages as ES modules, at the URLs that `parsePackageUrl` describes. */
export async function createPackageServer(options: PackageServerOptions): Promise<PackageServer> {
  const context = await createContext(options);
  return {
    async fetch(request, client) {
      const url = new URL(request.url);
      if (!url.pathname.startsWith('/npm/')) return undefined;
      try {
        const respond = () => route(context, request, url, client?.address);
        return await (client ? clientAddress.run(client.address, respond) : respond());
      } catch (error) {
        // The client is gone, so nobody reads the response.
        if (request.signal.aborted) return respondError(new VitrineError('packages_busy'));
        return respondWithError(context, url, error);
      }
    },
    async register(lockfile) {
      const { packages } = await registerLockfile(context, { lock: lockfile });
      return {
        fullExportUrls: new Set(listFullExportUrls(packages)),
        isComplete: packages.every(({ plain }) => plain !== undefined),
      };
    },
    warmUp: (lockfiles) => warmUp(context, lockfiles),
    async close() {
      await context.resolver.close();
      await Promise.all([context.bundles.close(), context.packageBuilder.close()]);
    },
  };
}

async function route(
  context: Context,
  request: Request,
  url: URL,
  clientIp: string | undefined,
): Promise<Response> {
  const { method } = request;
  if (method === 'OPTIONS') return respondPreflight();
  // A package must not become a service worker of the app.
  if (request.headers.has('service-worker')) throw new VitrineError('not_allowed');
  const packageUrl = parsePackageUrl(url.pathname);
  if (packageUrl === undefined) throw new VitrineError('bad_request', 'not a package URL');
  if (method === 'POST' && packageUrl.kind === 'service') {
    checkOrigin(context, request);
    return respondToPost(context, request, packageUrl.parts, clientIp);
  }
  if (method !== 'GET' && method !== 'HEAD') throw new VitrineError('bad_request', 'method');
  if (packageUrl.kind === 'exact') {
    return serveExact(request, packageUrl, await findServedPackage(packageUrl, context), context);
  }
  if (packageUrl.kind === 'range') return redirect(context, packageUrl, url, clientIp);
  return respondToService(context, request, url, packageUrl.parts, clientIp);
}

function checkOrigin({ appOrigins }: Context, request: Request): void {
  const origin = request.headers.get('origin');
  if (origin === null || !appOrigins.includes(origin)) throw new VitrineError('not_allowed');
}

/**
 * Redirects a URL with a range to the exact URL that it currently resolves to. A browser identifies
 * a module by the URL that was requested, not by the one that it was redirected to. A module's
 * range is therefore redirected to `?names=`, which re-exports from the one module at the exact
 * URL, so that no package is loaded twice.
 */
async function redirect(
  context: Context,
  packageUrl: RangeUrl,
  url: URL,
  clientIp: string | undefined,
) {
  const { name, range, subpath } = packageUrl;
  if (range.startsWith('npm:')) throw new VitrineError('package_spec_invalid', range.slice(0, 80));
  parseSpec(name, range);
  const base = await resolveRange(context, name, range, clientIp);
  const isModule = url.search === '' && !/^\/-(?:chunk|worker)?\//.test(subpath);
  return respondRedirect(base + subpath + (isModule ? '?names=' : url.search), rangeCacheSeconds);
}

function respondWithError({ log }: Context, url: URL, error: unknown): Response {
  const vitrineError =
    error instanceof VitrineError ? error : new VitrineError(findErrorCode(error));
  if (vitrineError.code === 'unexpected') {
    const reason = describeReason(error);
    log.error('A package request failed.', { pathname: url.pathname.slice(0, 300), reason });
  }
  const retryAfterSeconds =
    vitrineError.code === 'rate_limited' || vitrineError.code === 'packages_busy' ? 5 : undefined;
  return respondError(vitrineError, retryAfterSeconds);
}
