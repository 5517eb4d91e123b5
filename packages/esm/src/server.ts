import { findErrorCode, VitrineError } from '@vitrine/project';
import { parsePackageAddress, type RangeAddress } from './address.ts';
import { answerFailure, answerPreflight, answerRedirect } from './answers.ts';
import { clientAddress } from './client-address.ts';
import {
  createContext,
  findRange,
  rangeSeconds,
  type Context,
  type PackageServerOptions,
} from './context.ts';
import { describeReason } from './log.ts';
import { findPlacement } from './placement.ts';
import { serveExact } from './serve-exact.ts';
import { answerService, changeSomething, register as registerLock } from './services.ts';
import { parseSpec } from './specs.ts';
import { warmUp } from './warm-up.ts';

export interface RegisteredPackages {
  readonly plainAddresses: ReadonlySet<string>;
  /** False while packages are not built, of which more will be known then. */
  readonly isComplete: boolean;
}

export interface PackageServer {
  /**
   * Answers what is under /npm, undefined for everything else. Reads no cookies. `address` is the
   * one the request came from, for limits; without it there are none. Never throws.
   */
  fetch(request: Request, from?: { readonly address: string }): Promise<Response | undefined>;
  /**
   * Makes every address of a package-lock.json known, as its POST does, and tells which modules of
   * the project's own packages show all their names. Throws VitrineErrors.
   */
  register(lock: string): Promise<RegisteredPackages>;
  /** Builds what these package-lock.json lead to while nobody waits. It ends with `close`. */
  warmUp(locks: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** npm packages as ES modules, under the addresses that `address.ts` lists. */
export async function createPackageServer(options: PackageServerOptions): Promise<PackageServer> {
  const context = await createContext(options);
  return {
    async fetch(request, from) {
      const url = new URL(request.url);
      if (!url.pathname.startsWith('/npm/')) return undefined;
      try {
        const answer = () => route(context, request, url, from?.address);
        return await (from ? clientAddress.run(from.address, answer) : answer());
      } catch (error) {
        return answerError(context, url, error);
      }
    },
    async register(lock) {
      const { packages } = await registerLock(context, lock);
      return {
        plainAddresses: new Set(
          packages.flatMap(({ base, plain = [] }) => plain.map((subpath) => base + subpath)),
        ),
        isComplete: packages.every(({ plain }) => plain !== undefined),
      };
    },
    warmUp: (locks) => warmUp(context, locks),
    async close() {
      await context.resolver.close();
      await Promise.all([context.joins.close(), context.obtainer.close()]);
    },
  };
}

async function route(
  context: Context,
  request: Request,
  url: URL,
  from: string | undefined,
): Promise<Response> {
  const { method } = request;
  if (method === 'OPTIONS') return answerPreflight();
  // A package must not become the service worker of the app.
  if (request.headers.has('service-worker')) throw new VitrineError('not_allowed');
  const address = parsePackageAddress(url.pathname);
  if (address === undefined) throw new VitrineError('bad_request', 'not a package address');
  if (method === 'POST' && address.kind === 'service') {
    checkOrigin(context, request);
    return changeSomething(context, request, address.parts, from);
  }
  if (method !== 'GET' && method !== 'HEAD') throw new VitrineError('bad_request', 'method');
  if (address.kind === 'exact') {
    return serveExact(request, address, await findPlacement(address, context), context);
  }
  if (address.kind === 'range') return redirect(context, address, url, from);
  return answerService(context, request, url, address.parts, from);
}

function checkOrigin({ appOrigins }: Context, request: Request): void {
  const origin = request.headers.get('origin');
  if (origin === null || !appOrigins.includes(origin)) throw new VitrineError('not_allowed');
}

/**
 * A range to the address it means for the moment. A browser knows a module by the address that was
 * asked for, not by the one it was led to: so a module's range leads to `?names=`, which passes on
 * the exports of the one module at the exact address, and no package comes twice.
 */
async function redirect(
  context: Context,
  address: RangeAddress,
  url: URL,
  from: string | undefined,
) {
  const { name, wish, subpath } = address;
  if (wish.startsWith('npm:')) throw new VitrineError('package_spec_invalid', wish.slice(0, 80));
  parseSpec(name, wish);
  const base = await findRange(context, name, wish, from);
  const isModule = url.search === '' && !/^\/-(?:chunk|worker)?\//.test(subpath);
  return answerRedirect(base + subpath + (isModule ? '?names=' : url.search), rangeSeconds);
}

function answerError({ log }: Context, url: URL, error: unknown): Response {
  const ours = error instanceof VitrineError ? error : new VitrineError(findErrorCode(error));
  if (ours.code === 'unexpected') {
    const reason = describeReason(error);
    log.error('A package request failed.', { pathname: url.pathname.slice(0, 300), reason });
  }
  const wait = ours.code === 'rate_limited' || ours.code === 'packages_busy' ? 5 : undefined;
  return answerFailure(ours, wait);
}
