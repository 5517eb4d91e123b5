import { createRateLimiter, toRateLimitKey, type RateLimiter } from '@vitrine/project';
import { randomUUID, timingSafeEqual } from 'node:crypto';
import type { AccessClaims, TokenKeys } from './auth/keys.ts';
import { bodyLimits, readBodyWithLimit } from './body-limit.ts';
import type { FunctionsService } from './functions/index.ts';
import { describeErrorForLog } from './log.ts';
import type { Log } from './log.ts';
import { parseCustomMail, type CustomMail } from './mail/messages.ts';
import { isConnectionError } from './postgres/connection-errors.ts';
import type { RealtimeService } from './realtime/index.ts';
import type { Caller, RestService } from './rest/index.ts';
import type { StorageService } from './storage/index.ts';

interface GatewayOptions {
  getKeyRole: KeyRoleLookup;
  keys: TokenKeys;
  /** Exact origins whose pages may read responses. */
  corsOrigins: readonly string[];
  auth(request: Request, client: { clientIp: string; isService: boolean }): Promise<Response>;
  rest: Pick<RestService, 'handle'>;
  storage: Pick<StorageService, 'handle'>;
  realtime: Pick<RealtimeService, 'handle'>;
  /** Undefined disables edge functions. */
  functions: Pick<FunctionsService, 'handle'> | undefined;
  /** Sends a mail of a function; rejects when it could not be sent. */
  sendMail(mail: CustomMail): Promise<void>;
  log: Log;
}

/**
 * The single entry point of the backend: checks keys, tokens, body sizes and headers before any
 * service runs. Never throws. `client` is the IP address of the client; without one, as for requests
 * of this process, there is no rate limit.
 */
export type Gateway = (request: Request, client?: { address: string }) => Promise<Response>;

/** Maps an API key to its role; undefined for an invalid key. */
type KeyRoleLookup = (key: string) => 'anon' | 'service_role' | undefined;

export function createKeyRoleLookup(secrets: {
  publishableKey: string;
  secretKey: string;
}): KeyRoleLookup {
  return (key) => {
    if (isEqualText(key, secrets.secretKey)) return 'service_role';
    return isEqualText(key, secrets.publishableKey) ? 'anon' : undefined;
  };
}

/** Paths that need no API key: links in mails, redirects of providers, and token verification. */
const keylessPaths = new Set([
  '/auth/v1/verify',
  '/auth/v1/authorize',
  '/auth/v1/callback',
  '/auth/v1/health',
  '/auth/v1/.well-known/jwks.json',
]);

/**
 * Request limit per IP address. A school class may share one address, while a page of the app sends
 * a handful of requests. Services have their own limits. Loopback is not exempt: behind a local
 * proxy, it may be everyone's address.
 */
const requestLimit = { burst: 3000, refillSeconds: 1 / 100 };

export function createGateway(options: GatewayOptions): Gateway {
  const rateLimiter = createRateLimiter(requestLimit);
  return async (request, client) => {
    const requestId = randomUUID();
    const clientIp = client?.address ?? '';
    const response =
      limitRequests(options, rateLimiter, request, clientIp) ??
      (await handleErrors(options, request, clientIp, requestId));
    const keepsCorsHeaders =
      isFunction(request) && response.headers.has('access-control-allow-origin');
    const origin = request.headers.get('origin');
    return applyHeaders(response, options.corsOrigins, origin, requestId, keepsCorsHeaders);
  };
}

function limitRequests(
  { getKeyRole }: GatewayOptions,
  rateLimiter: RateLimiter,
  request: Request,
  clientIp: string,
): Response | undefined {
  // Requests from processes of this instance, and requests with the secret key, are not limited.
  if (clientIp === '' || getKeyRole(parseKeys(request).key ?? '') === 'service_role')
    return undefined;
  const waitSeconds = rateLimiter.consume(toRateLimitKey(clientIp));
  if (waitSeconds === 0) return undefined;
  const headers = { 'retry-after': String(waitSeconds) };
  return createErrorResponse(429, 'over_request_rate_limit', 'Too many requests', headers);
}

async function handleErrors(
  options: GatewayOptions,
  request: Request,
  clientIp: string,
  requestId: string,
): Promise<Response> {
  try {
    // Functions respond to preflight requests themselves.
    if (request.method === 'OPTIONS' && !isFunction(request)) return createPreflightResponse();
    const rateLimitKey = toRateLimitKey(clientIp);
    return await route(options, request, { clientIp, rateLimitKey, requestId });
  } catch (error) {
    const { pathname } = new URL(request.url);
    // The client is gone, so nobody reads the response.
    if (request.signal.aborted) return new Response(null, { status: 499 });
    const reason = describeErrorForLog(error);
    if (isConnectionError(error)) {
      options.log.warn('The database can’t be reached.', { pathname, requestId, reason });
      return createUnavailableResponse();
    }
    options.log.error('A request failed.', { pathname, requestId, reason });
    return createErrorResponse(
      500,
      'unexpected_failure',
      `Something went wrong (request ${requestId})`,
    );
  }
}

/** What is known of a request besides its content. */
interface RequestInfo {
  clientIp: string;
  /** What limits count the address by: see `toRateLimitKey`. */
  rateLimitKey: string;
  /** Id of the request in the log, the response and the database. */
  requestId: string;
}

async function route(options: GatewayOptions, request: Request, info: RequestInfo) {
  const { pathname } = new URL(request.url);
  if (isFunction(request)) return await handleFunction(options, request, info);
  if (pathname.startsWith('/storage/v1/')) return await handleStorage(options, request, info);
  if (pathname === '/mail/v1/messages') return await handleMail(options, request);
  const isAuth = pathname.startsWith('/auth/v1/');
  const isRealtime = pathname.startsWith('/realtime/v1/api/');
  if (!isAuth && !isRealtime && !pathname.startsWith('/rest/v1/')) {
    return createErrorResponse(404, 'not_found', 'Not found');
  }
  const caller = await readCredentials(options, request, isAuth && keylessPaths.has(pathname));
  if (caller instanceof Response) return caller;
  const body = await readBodyWithLimit(
    request,
    bodyLimits[isAuth ? 'auth' : isRealtime ? 'realtime' : 'rest'],
  );
  if (body === 'too-large') return createTooLargeResponse();
  const inner = createInnerRequest(request, body, info);
  const { clientIp, rateLimitKey } = info;
  if (isAuth) return options.auth(inner, { clientIp, isService: isService(caller) });
  const restCaller = await authenticateCaller(options, caller);
  if (restCaller instanceof Response) return restCaller;
  if (isRealtime) return await options.realtime.handle(inner, restCaller, rateLimitKey);
  const response = await options.rest.handle(inner, { ...restCaller, rateLimitKey });
  // PostgREST has several codes for a lost database; the app only knows one.
  return response.status === 503 ? createUnavailableResponse() : response;
}

/**
 * Streams the body, as uploads are larger than what should be buffered. Public objects need no key:
 * storage gets the caller, or the reason why there is none in jose's words, as in Supabase Storage.
 */
async function handleStorage(options: GatewayOptions, request: Request, info: RequestInfo) {
  const credentials = await readCredentials(options, request, true);
  if (credentials instanceof Response) return credentials;
  const inner = createInnerRequest(request, request.body ?? undefined, info);
  const caller = await identifyCaller(options, credentials);
  return await options.storage.handle(inner, { caller, rateLimitKey: info.rateLimitKey });
}

function isFunction(request: Request): boolean {
  return new URL(request.url).pathname.startsWith('/functions/v1/');
}

/** Sends a mail for a function, in the JSON format of HTTP mail services. */
async function handleMail(options: GatewayOptions, request: Request): Promise<Response> {
  const caller = await readCredentials(options, request, false);
  if (caller instanceof Response) return caller;
  if (!isService(caller))
    return createErrorResponse(403, 'not_allowed', 'Sending email requires the secret key');
  const body = await readBodyWithLimit(request, bodyLimits.mail);
  if (body === 'too-large') return createTooLargeResponse();
  const mail = body && parseCustomMail(body);
  if (mail === undefined)
    return createErrorResponse(422, 'bad_request', 'An email requires to, subject, and text');
  try {
    await options.sendMail(mail);
  } catch (error) {
    options.log.warn('Couldn’t send an email.', { reason: describeErrorForLog(error) });
    return createErrorResponse(502, 'mail_not_sent', 'The email could not be sent');
  }
  return Response.json({}, { status: 200 });
}

/**
 * Streams the body. Other parties' tokens are passed through to functions with `verify_jwt =
 * false`.
 */
async function handleFunction(options: GatewayOptions, request: Request, info: RequestInfo) {
  if (options.functions === undefined) return createErrorResponse(404, 'not_found', 'Not found');
  const credentials = await readCredentials(options, request, true);
  if (credentials instanceof Response) return credentials;
  const inner = createInnerRequest(request, request.body ?? undefined, info);
  // As a hosted project tells functions who calls.
  inner.headers.set('x-forwarded-for', info.clientIp);
  const isKnown = async () => {
    const caller = await identifyCaller(options, credentials);
    return typeof caller !== 'string' && caller.role !== 'anon';
  };
  const client = isService(credentials) ? '' : info.rateLimitKey;
  return await options.functions.handle(inner, isKnown, client);
}

async function identifyCaller(
  { keys }: GatewayOptions,
  { keyRole, token, isKeyless }: Credentials,
): Promise<Caller | string> {
  if (token === undefined) {
    return isKeyless ? 'Invalid Compact JWS' : { role: keyRole, claims: { role: keyRole } };
  }
  try {
    const claims = await keys.verify(token);
    return { role: claims.role, claims };
  } catch (error) {
    return error instanceof Error ? error.message : 'The token is not valid';
  }
}

/** The API key's role, and the user's token if there is one. */
interface Credentials {
  keyRole: 'anon' | 'service_role';
  token: string | undefined;
  /** No API key was sent, to a path that needs none. */
  isKeyless: boolean;
}

async function readCredentials(
  options: GatewayOptions,
  request: Request,
  isKeyOptional: boolean,
): Promise<Credentials | Response> {
  const { key, bearerKey, token } = parseKeys(request);
  if (key === undefined) {
    if (isKeyOptional) return { keyRole: 'anon', token, isKeyless: true };
    return createKeyErrorResponse('No API key found in request');
  }
  const keyRole = options.getKeyRole(key);
  if (keyRole === undefined) return createKeyErrorResponse('Invalid API key');
  // Two different keys are ambiguous.
  if (bearerKey !== undefined && bearerKey !== key)
    return createKeyErrorResponse('Invalid API key');
  return { keyRole, token, isKeyless: false };
}

/**
 * Reads the API key, also from the Authorization header, and a bearer token that is not an API key.
 */
function parseKeys({ headers }: Request) {
  const bearer = /^bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  const bearerKey = bearer?.startsWith('sb_') ? bearer : undefined;
  const key = headers.get('apikey') ?? bearerKey;
  return { key, bearerKey, token: bearerKey === undefined ? bearer : undefined };
}

/** Whether the request has the secret key and no user token. */
function isService({ keyRole, token }: Credentials): boolean {
  return keyRole === 'service_role' && token === undefined;
}

async function authenticateCaller(
  { keys }: GatewayOptions,
  { keyRole, token }: Credentials,
): Promise<Caller | Response> {
  if (token === undefined) return { role: keyRole, claims: { role: keyRole } };
  try {
    const claims: AccessClaims = await keys.verify(token);
    return { role: claims.role, claims };
  } catch (error) {
    // PostgREST's codes. supabase-js recognizes an expired token by them.
    const isExpired = error instanceof Error && 'code' in error && error.code === 'ERR_JWT_EXPIRED';
    const [code, message] = isExpired
      ? ['PGRST303', 'JWT expired']
      : ['PGRST301', 'No suitable key or wrong key type'];
    return Response.json(
      { code, message, details: null, hint: null },
      { status: 401, headers: { 'www-authenticate': 'Bearer' } },
    );
  }
}

/**
 * Creates the request that services get: without cookies (authentication is bearer-only, so there
 * is no CSRF) and without forwarding headers.
 */
function createInnerRequest(
  request: Request,
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | undefined,
  { requestId }: RequestInfo,
): Request {
  const headers = new Headers(request.headers);
  for (const name of headers.keys()) {
    if (
      /^(cookie|forwarded|cf-connecting-ip|x-forwarded-.*|x-vitrine-.*|x-original-.*|x-rewrite-url|x-http-method.*)$/.test(
        name,
      )
    ) {
      headers.delete(name);
    }
  }
  headers.set('x-request-id', requestId);
  return new Request(request.url, {
    method: request.method,
    headers,
    ...(body === undefined ? {} : { body, duplex: 'half' }),
  });
}

function createPreflightResponse(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
      'access-control-allow-headers':
        'authorization, apikey, content-type, accept, accept-profile, content-profile, prefer, range, range-unit, x-client-info, x-supabase-api-version, cache-control, if-modified-since, if-none-match, if-range, x-metadata, x-upsert',
      'access-control-max-age': '7200',
    },
  });
}

function applyHeaders(
  response: Response,
  corsOrigins: readonly string[],
  origin: string | null,
  requestId: string,
  keepsCorsHeaders: boolean,
): Response {
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  // Storage sets both for files.
  setIfMissing(headers, 'cache-control', 'no-store');
  setIfMissing(headers, 'content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  headers.set('x-content-type-options', 'nosniff');
  headers.set('referrer-policy', 'no-referrer');
  headers.set('x-request-id', requestId);
  headers.append('vary', 'Origin');
  if (keepsCorsHeaders) return new Response(response.body, { status, statusText, headers });
  if (origin !== null && corsOrigins.includes(origin)) {
    headers.set('access-control-allow-origin', origin);
    headers.set(
      'access-control-expose-headers',
      'content-range, content-location, location, preference-applied, range-unit, retry-after, x-request-id, x-supabase-api-version, accept-ranges, content-disposition, content-length, etag',
    );
  } else {
    for (const name of headers.keys()) {
      if (name.startsWith('access-control-')) headers.delete(name);
    }
  }
  return new Response(response.body, { status, statusText, headers });
}

function setIfMissing(headers: Headers, name: string, value: string): void {
  if (!headers.has(name)) headers.set(name, value);
}

function createKeyErrorResponse(message: string): Response {
  const hint = 'Send the publishable key of this instance in the apikey header.';
  return Response.json({ message, hint }, { status: 401 });
}

function createTooLargeResponse(): Response {
  return createErrorResponse(413, 'request_too_large', 'The request body is too large');
}

function createUnavailableResponse(): Response {
  const headers = { 'retry-after': '2' };
  return createErrorResponse(503, 'backend_unreachable', 'The database cannot be reached', headers);
}

function createErrorResponse(
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ code, error_code: code, message, msg: message }, { status, headers });
}

/** Compares two texts in constant time. */
function isEqualText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
