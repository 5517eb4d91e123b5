import { describeReason, refuseUpgrade, type UpgradeRequest } from '@vitrine/backend';
import type { App } from './app.ts';
import { networkOf } from './client-address.ts';
import type { BackendPart } from './forwarding.ts';
import type { Hosts } from './hosts.ts';
import type { Log } from './log.ts';
import type { Packages } from './packages.ts';
import { bareAnswer, bareHeaders } from './security-headers.ts';
import type { PreviewServer } from '@vitrine/sandbox/server';

export interface RouterOptions {
  readonly hosts: Hosts;
  readonly app: App;
  readonly previews: PreviewServer;
  readonly packages: Packages;
  /** Null when the backend is a hosted one. */
  readonly backend: BackendPart | null;
  readonly log: Log;
}

export interface Router {
  answer(request: Request, from: { address: string }): Promise<Response>;
  /** A request that wants to be a socket: there are only the backend's, on the app's own host. */
  upgrade(from: UpgradeRequest): void;
}

const packagePaths = /^\/npm(\/|$)/;
const backendPaths = /^\/(auth|rest|storage|realtime|functions|mail)\/v1(\/|$)/;

/** The table of addresses: which host and path is answered by what. An edge: whatever is thrown ends here. */
export function createRouter(options: RouterOptions): Router {
  const { hosts, app, previews, packages, backend, log } = options;
  let isHostTold = false;

  async function answer(arrived: Request, from: { address: string }): Promise<Response> {
    const host = hosts.classify(arrived.headers.get('host') ?? '');
    if (host.kind === 'unknown') return bareAnswer(421, 'Unknown host.');
    const request = addressAs(arrived, host.origin);
    const https = host.origin.startsWith('https:');
    const notFound = () => bareAnswer(404, 'Not found.', https);
    if (host.kind === 'program') return answerProgram(request, from);
    const client = { address: networkOf(from.address) };
    if (host.kind === 'preview') return (await previews.fetch(request, client)) ?? notFound();
    const { pathname } = new URL(request.url);
    if (!isDecodable(pathname)) return answerUnreadable(request, host.origin, from);
    if (pathname === '/healthz') return health(backend, https);
    if (pathname.startsWith('/__vitrine/'))
      return (await previews.fetch(request, client)) ?? notFound();
    if (packagePaths.test(pathname)) return (await packages.fetch(request, client)) ?? notFound();
    if (backend && backendPaths.test(pathname)) return backend.fetch(request, from);
    const redirect = toPublicOrigin(request, host.origin, hosts.appOrigins[0] ?? host.origin);
    return redirect ?? app.fetch(request, host.origin, from.address);
  }

  /** Pages asked for by a local name, where people use another: a proxy has replaced the host. */
  async function answerProgram(request: Request, from: { address: string }): Promise<Response> {
    const { pathname, host, protocol } = new URL(request.url);
    const https = protocol === 'https:';
    if (pathname === '/healthz') return health(backend, https);
    if (backend && backendPaths.test(pathname)) return backend.fetch(request, from);
    const [publicOrigin = ''] = hosts.appOrigins;
    const advice = `Pages are served only at ${publicOrigin}. A reverse proxy must pass the Host header (nginx: proxy_set_header Host $host;).`;
    if (!isHostTold) log.warn(advice, { host });
    isHostTold = true;
    return bareAnswer(421, advice, https);
  }

  /** Escapes that stand for nothing, as in "/%E0%A4%A": people are shown the page for what is not there. */
  async function answerUnreadable(
    request: Request,
    origin: string,
    from: { address: string },
  ): Promise<Response> {
    const { pathname } = new URL(request.url);
    const isForPrograms = pathname.startsWith('/__vitrine/') || packagePaths.test(pathname);
    if (isForPrograms || backendPaths.test(pathname))
      return bareAnswer(400, 'Malformed URL.', origin.startsWith('https:'));
    const readable = new Request(origin + pathname.replaceAll('%', '%25'), request);
    const { body, headers } = await app.fetch(readable, origin, from.address);
    return new Response(body, { status: 400, headers });
  }

  return {
    async answer(request, from) {
      try {
        return await answer(request, from);
      } catch (error) {
        log.error('Request failed.', {
          method: request.method,
          path: new URL(request.url).pathname,
          reason: describeReason(error),
        });
        return bareAnswer(500, 'Something went wrong. Try again.');
      }
    },
    upgrade(from) {
      const { kind } = hosts.classify(from.request.headers.host ?? '');
      if (kind === 'unknown') return refuseUpgrade(from.socket, 421, 'Unknown host.');
      if (kind === 'preview' || !backend) return refuseUpgrade(from.socket, 404, 'Not found.');
      backend.upgrade(from);
    },
  };
}

/**
 * `http://localhost:4000` leads to the name under which everything works. Safari does not resolve
 * `*.localhost`, and a bare address was typed on purpose: both stay and use the portable path.
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
  const headers = bareHeaders(publicOrigin.startsWith('https:'));
  headers.set('Location', `${publicOrigin}${pathname}${search}`);
  return new Response(null, { status: 307, headers });
}

/** A proxy that ends HTTPS passes plain HTTP on: the origin is what the browser asked for all the same. */
function addressAs(request: Request, origin: string): Request {
  const { origin: arrived, pathname, search } = new URL(request.url);
  return arrived === origin ? request : new Request(origin + pathname + search, request);
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

async function health(backend: BackendPart | null, https: boolean): Promise<Response> {
  const answer = backend ? await backend.fetch(new Request('http://backend/auth/v1/health')) : null;
  const healthy = answer === null || answer.ok;
  const status = healthy ? 200 : 503;
  return Response.json(
    { status: healthy ? 'ok' : 'unavailable' },
    { status, headers: bareHeaders(https) },
  );
}
