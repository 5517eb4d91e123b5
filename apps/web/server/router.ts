import {
  describeErrorForLog,
  rejectUpgrade,
  type Log,
  type UpgradeRequest,
} from '@vitrine/backend';
import { runForClient } from '@vitrine/esm';
import { toRateLimitKey } from '@vitrine/project';
import type { App } from './app.ts';
import type { BackendHandler } from './backend-proxy.ts';
import type { Hosts } from './hosts.ts';
import type { PackageService } from './package-service.ts';
import { createTextResponse, createBaseHeaders } from './security-headers.ts';
import type { PreviewServer } from '@vitrine/sandbox/server';

interface RouterOptions {
  readonly hosts: Hosts;
  readonly app: App;
  readonly previews: PreviewServer;
  readonly packages: PackageService;
  /** Null for a hosted backend. */
  readonly backend: BackendHandler | null;
  readonly log: Log;
}

export interface Router {
  /** Never rejects. */
  handle(request: Request, from: { address: string }): Promise<Response>;
  /** Handles a WebSocket upgrade. Only the backend has WebSockets, on the app's host. */
  upgrade(from: UpgradeRequest): void;
}

const packagePaths = /^\/npm(\/|$)/;
/** Services of the backend, at `/NAME/v1`. */
export const backendServices = ['auth', 'rest', 'storage', 'realtime', 'functions', 'mail'];
const backendPaths = new RegExp(`^/(${backendServices.join('|')})/v1(/|$)`);

/** Creates the router: maps hosts and paths to handlers. An edge: catches every error. */
export function createRouter(options: RouterOptions): Router {
  const { hosts, app, previews, packages, backend, log } = options;
  let hasWarnedAboutHost = false;

  async function answer(original: Request, from: { address: string }): Promise<Response> {
    const host = hosts.classify(original.headers.get('host') ?? '');
    if (host.kind === 'unknown') return createTextResponse(421, 'Unknown host.');
    const request = withOrigin(original, host.origin);
    const https = host.origin.startsWith('https:');
    const notFound = () => createTextResponse(404, 'Not found.', https);
    if (host.kind === 'program') return answerProgram(request, from);
    const client = { address: toRateLimitKey(from.address) };
    if (host.kind === 'preview') return (await previews.fetch(request, client)) ?? notFound();
    const { pathname } = new URL(request.url);
    if (!isDecodable(pathname)) return answerMalformedUrl(request, host.origin, from);
    if (pathname === '/healthz') return checkHealth(backend, https);
    if (pathname.startsWith('/__vitrine/'))
      return (await previews.fetch(request, client)) ?? notFound();
    if (packagePaths.test(pathname)) return (await packages.fetch(request, client)) ?? notFound();
    if (backend && backendPaths.test(pathname)) return backend.fetch(request, from);
    const redirect = toPublicOrigin(request, host.origin, hosts.appOrigins[0] ?? host.origin);
    return redirect ?? app.fetch(request, host.origin, from.address);
  }

  /** A page requested by a local host name means that a proxy has replaced the Host header. */
  async function answerProgram(request: Request, from: { address: string }): Promise<Response> {
    const { pathname, host, protocol } = new URL(request.url);
    const https = protocol === 'https:';
    if (pathname === '/healthz') return checkHealth(backend, https);
    if (backend && backendPaths.test(pathname)) return backend.fetch(request, from);
    const [publicOrigin = ''] = hosts.appOrigins;
    const warning = `Pages are served only at ${publicOrigin}. A reverse proxy must pass the Host header (nginx: proxy_set_header Host $host;).`;
    if (!hasWarnedAboutHost) log.warn(warning, { host });
    hasWarnedAboutHost = true;
    return createTextResponse(421, warning, https);
  }

  /** For invalid percent-encoding, as in "/%E0%A4%A": pages respond with the not-found page. */
  async function answerMalformedUrl(
    request: Request,
    origin: string,
    from: { address: string },
  ): Promise<Response> {
    const { pathname } = new URL(request.url);
    const isApi = pathname.startsWith('/__vitrine/') || packagePaths.test(pathname);
    if (isApi || backendPaths.test(pathname))
      return createTextResponse(400, 'Malformed URL.', origin.startsWith('https:'));
    const escaped = new Request(origin + pathname.replaceAll('%', '%25'), request);
    const { body, headers } = await app.fetch(escaped, origin, from.address);
    return new Response(body, { status: 400, headers });
  }

  return {
    async handle(request, from) {
      try {
        // Also for a lockfile that a preview registers.
        return await runForClient(toRateLimitKey(from.address), () => answer(request, from));
      } catch (error) {
        // The client is gone, or its body was refused.
        if (request.signal.aborted)
          return new Response(null, { status: 499, headers: createBaseHeaders(false) });
        log.error('Request failed.', {
          method: request.method,
          path: withoutToken(new URL(request.url).pathname),
          reason: describeErrorForLog(error),
        });
        return createTextResponse(500, 'Something went wrong. Try again.');
      }
    },
    upgrade(from) {
      const { kind } = hosts.classify(from.request.headers.host ?? '');
      if (kind === 'unknown') return rejectUpgrade(from.socket, 421, 'Unknown host.');
      if (kind === 'preview' || !backend) return rejectUpgrade(from.socket, 404, 'Not found.');
      backend.upgrade(from);
    },
  };
}

/**
 * Redirects `http://localhost:4000` to the public origin, where isolated-origin previews work.
 * Safari doesn't resolve `*.localhost`, and an IP address was typed on purpose: both stay and use
 * the srcdoc transport.
 */
function toPublicOrigin(
  request: Request,
  origin: string,
  publicOrigin: string,
): Response | undefined {
  const isLocalhost = new URL(origin).hostname === 'localhost' && origin !== publicOrigin;
  const userAgent = request.headers.get('user-agent') ?? '';
  const resolvesNames = /Chrom(e|ium)\/|Firefox\//.test(userAgent);
  if (!isLocalhost || !resolvesNames || request.method !== 'GET') return undefined;
  const { pathname, search } = new URL(request.url);
  const headers = createBaseHeaders(publicOrigin.startsWith('https:'));
  headers.set('Location', `${publicOrigin}${pathname}${search}`);
  return new Response(null, { status: 307, headers });
}

/** Restores the browser's origin, because a proxy that terminates HTTPS forwards plain HTTP. */
function withOrigin(request: Request, origin: string): Request {
  const { origin: currentOrigin, pathname, search } = new URL(request.url);
  return currentOrigin === origin ? request : new Request(origin + pathname + search, request);
}

/** "/invitations/TOKEN" → "/invitations/…": whoever has the token of a link may use it. */
function withoutToken(pathname: string): string {
  return pathname.replace(/^(\/invitations\/).+/, '$1…');
}

function isDecodable(pathname: string): boolean {
  try {
    decodeURIComponent(pathname);
    return true;
  } catch (error) {
    if (error instanceof URIError) return false;
    throw error;
  }
}

async function checkHealth(backend: BackendHandler | null, https: boolean): Promise<Response> {
  const request = new Request('http://backend/auth/v1/health');
  const response = backend ? await backend.fetch(request) : null;
  const isHealthy = response === null || response.ok;
  const status = isHealthy ? 200 : 503;
  return Response.json(
    { status: isHealthy ? 'ok' : 'unavailable' },
    { status, headers: createBaseHeaders(https) },
  );
}
