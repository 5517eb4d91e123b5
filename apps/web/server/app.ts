import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { createRequestHandler, type ServerBuild } from 'react-router';
import type { RequestContext, SignInOptions } from '../app/request-context.ts';
import { checkIsolation } from './isolation.ts';
import type { MailOutboxAccess } from './mail-outbox.ts';
import type { PackageService } from './package-service.ts';
import { respondToPrefill } from './prefill.ts';
import {
  compileWorkerPolicy,
  languageWorkerPolicy,
  buildContentSecurityPolicy,
  buildPermissionsPolicy,
  inertPolicy,
  createNonce,
  setCommonHeaders,
} from './security-headers.ts';
import { openSession, getSessionCookie, type BackendAccess, type Session } from './session.ts';
import type { PreviewServer } from '@vitrine/sandbox/server';

export interface AppOptions {
  readonly build: ServerBuild & {
    entry: { module: { provideContext(value: RequestContext): unknown } };
  };
  /** Folder of the built browser files. */
  readonly clientDir: string;
  readonly backend: BackendAccess;
  /** URL of a hosted backend; null if the backend is under the app's own origin. */
  readonly hostedUrl: string | null;
  /** Hosts that pages may frame, as CSP sources without a scheme. */
  readonly frameSources: readonly string[];
  readonly previewHost: string | null;
  readonly confirmEmail: boolean;
  readonly invitationLinkVerifies: boolean;
  /** Null if a mail server is configured. */
  readonly outbox: MailOutboxAccess | null;
  mintEntry: PreviewServer['mintAccessUrl'];
  readonly packages: Pick<PackageService, 'registerLockfile'>;
}

export interface App {
  /**
   * Handles a request to the app's host.
   * @param origin the app origin that the request was sent to
   * @param address the client's IP address
   */
  fetch(request: Request, origin: string, address: string): Promise<Response>;
}

/** Cookies larger than this can only have been planted by a preview. */
const plantedCookieBytes = 48 * 1024;

/** Creates the handler for the app's own host: built files, pages and actions. */
export function createApp(options: AppOptions): App {
  const files = createFiles(options.clientDir);
  const render = createRequestHandler(options.build, 'production');

  return {
    async fetch(request, origin, address) {
      const https = origin.startsWith('https:');
      const response = await handle(request, origin, address);
      const headers = new Headers(response.headers);
      setCommonHeaders(headers, https);
      if (!headers.has('Content-Security-Policy'))
        headers.set('Content-Security-Policy', inertPolicy);
      return new Response(response.body, {
        status: response.status,
        statusText: response.statusText,
        headers,
      });
    },
  };

  async function handle(request: Request, origin: string, address: string): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith('/assets/') || publicFiles.has(pathname)) return files.fetch(request);
    const cookieHeader = request.headers.get('cookie') ?? '';
    if (cookieHeader.length > plantedCookieBytes) return clearPlantedCookies();
    // Any page may post here, and no cookie is read or set.
    const prefilled = await respondToPrefill(request);
    if (prefilled) return prefilled;
    const verdict = checkIsolation(request, origin);
    if (verdict === 'refuse') return text(403, 'This request didn’t come from this site.');
    const outboxResponse = options.outbox?.handleLink(request, origin);
    if (outboxResponse) return outboxResponse;
    return renderPage(request, origin, {
      cookieHeader: verdict === 'allow' ? cookieHeader : '',
      address,
    });
  }

  async function renderPage(
    request: Request,
    origin: string,
    client: { cookieHeader: string; address: string },
  ): Promise<Response> {
    const nonce = createNonce();
    const userAgent = request.headers.get('user-agent') ?? '';
    const cookie = getSessionCookie(origin, userAgent);
    const { cookieHeader } = client;
    const outbox = options.outbox?.findOutbox({ cookieHeader, origin, userAgent }) ?? null;
    const sessionHeaders = new Headers();
    const session = await openSession(options.backend, cookie, client, sessionHeaders);
    const context = options.build.entry.module.provideContext({
      nonce,
      origin,
      get supabase() {
        return session.supabase;
      },
      claims: session.claims,
      pendingMfaClaims: session.pendingMfaClaims,
      headers: sessionHeaders,
      page: {
        backendUrl: options.hostedUrl ?? origin,
        publishableKey: options.backend.publishableKey,
        cookie,
        previewHost: options.previewHost,
        confirmEmail: options.confirmEmail,
        invitationLinkVerifies: options.invitationLinkVerifies,
        mailDelivery: !options.outbox ? 'sent' : outbox ? 'outbox' : 'kept',
      },
      createPreviewAccessUrl: (previewOrigin, key) => createAccessUrl(session, previewOrigin, key),
      registerPackages: (key, lockfile) => options.packages.registerLockfile(key, lockfile),
      fetchSignInOptions: () => fetchSignInOptions(options.backend, client.address),
      outbox,
    });
    // The build's context has the same class, but TypeScript can't relate the two types.
    const response = await render(
      withoutControlHeaders(request),
      context as Parameters<typeof render>[1],
    );
    return finishPage(response, nonce, origin, sessionHeaders);
  }

  async function createAccessUrl(
    session: Session,
    previewOrigin: string,
    key: string,
  ): Promise<string | null> {
    const access = await session.getAccessToken();
    return access && options.mintEntry({ origin: previewOrigin, key, ...access });
  }

  function finishPage(
    response: Response,
    nonce: string,
    origin: string,
    sessionHeaders: Headers,
  ): Response {
    const headers = new Headers(response.headers);
    for (const [name, value] of sessionHeaders) headers.append(name, value);
    headers.set('Cache-Control', 'private, no-store');
    if (headers.get('content-type')?.startsWith('text/html'))
      setPagePolicies(headers, { nonce, origin }, options);
    return new Response(response.body, {
      status: response.status,
      statusText: response.statusText,
      headers,
    });
  }
}

/** Sets the policies of a page, which list the hosts that it may frame and connect to. */
function setPagePolicies(
  headers: Headers,
  { nonce, origin }: { nonce: string; origin: string },
  { frameSources, hostedUrl }: AppOptions,
): void {
  const scheme = new URL(origin).protocol;
  const frames = frameSources.map((source) => `${scheme}//${source}`);
  headers.set('Permissions-Policy', buildPermissionsPolicy(frames));
  headers.set(
    'Content-Security-Policy',
    buildContentSecurityPolicy({
      nonce,
      frames,
      connections: hostedUrl ? [hostedUrl, hostedUrl.replace(/^http/, 'ws')] : [],
      images: hostedUrl ? [hostedUrl] : [],
      https: scheme === 'https:',
    }),
  );
}

const publicFiles: ReadonlySet<string> = new Set(['/favicon.svg', '/robots.txt']);

function createFiles(clientDir: string): Hono {
  const files = new Hono();
  files.use('*', async (context, next) => {
    await next();
    const immutable = context.req.path.startsWith('/assets/') && context.res.status === 200;
    if (/^\/assets\/compile-worker-[\w-]+\.js$/.test(context.req.path))
      context.header('Content-Security-Policy', compileWorkerPolicy);
    if (/^\/assets\/(?:language|markup|lint|format|find)-worker-[\w-]+\.js$/.test(context.req.path))
      context.header('Content-Security-Policy', languageWorkerPolicy);
    context.header('Cache-Control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  });
  files.use('*', serveStatic({ root: clientDir, precompressed: true }));
  files.notFound((context) => context.text('Not found', 404));
  return files;
}

/** Entries of the auth server's `external` settings that aren't OAuth providers. */
const nonProviders = new Set(['email', 'phone', 'anonymous_users']);

/** Fetches the sign-in methods from the auth server's settings; null if it is unreachable. */
async function fetchSignInOptions(
  { url, publishableKey, fetchFrom }: BackendAccess,
  address: string,
): Promise<SignInOptions | null> {
  const fetchSettings = fetchFrom?.(address) ?? fetch;
  try {
    const headers = { apikey: publishableKey };
    const response = await fetchSettings(`${url}/auth/v1/settings`, { headers });
    return response.ok ? parseAuthSettings(await response.json()) : null;
  } catch (error) {
    // No connection, or a response that isn't JSON.
    if (error instanceof TypeError || error instanceof SyntaxError) return null;
    throw error;
  }
}

function parseAuthSettings(body: unknown): SignInOptions | null {
  if (typeof body !== 'object' || body === null) return null;
  const settings: Record<string, unknown> = { ...body };
  return {
    providers: Object.entries(settings['external'] ?? {})
      .filter(([name, isOn]) => isOn === true && !nonProviders.has(name))
      .map(([name]) => name),
    isOpen: settings['disable_signup'] !== true,
    confirmsEmail: settings['mailer_autoconfirm'] !== true,
  };
}

/**
 * Drops request headers that control React Router from outside (as in CVE-2025-43864 and
 * CVE-2025-43865) or that would change the URL it sees.
 */
function withoutControlHeaders(request: Request): Request {
  const headers = new Headers(request.headers);
  for (const name of request.headers.keys()) {
    if (/^x-(react-router|remix|forwarded|original|http-method|middleware)/.test(name))
      headers.delete(name);
  }
  return new Request(request, { headers });
}

/** Clears all cookies after a preview planted hundreds for our domain. Drafts aren't in cookies. */
function clearPlantedCookies(): Response {
  return new Response(
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Cookies cleared — Vitrine</title>' +
      '<main><h1>We cleared this site’s cookies</h1><p>A page you ran filled them up. Your drafts are still on this device.</p><p><a href="">Continue</a></p></main></html>',
    {
      status: 200,
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        'Clear-Site-Data': '"cookies"',
        'Cache-Control': 'private, no-store',
      },
    },
  );
}

function text(status: number, body: string): Response {
  return new Response(body, {
    status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
  });
}
