import type { ErrorCode, VitrineError } from '@vitrine/project';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { isCompressible } from './content-types.ts';
import type { ErrorResponse, ServiceResponse } from './messages.ts';

/** Headers of every response under /npm: readable by every origin, but never run as a page. */
const commonHeaders = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'timing-allow-origin': '*',
} as const;

const immutableCacheControl = 'public, max-age=31536000, immutable';

/** Cache of compressed response bodies. */
export interface CompressionCache {
  read(key: string): Promise<Buffer | undefined>;
  /** Never rejects, and no response waits for it. */
  write(key: string, content: Buffer): Promise<void>;
}

/** Response at an exact URL, cached forever. `hints` are URLs of modules to preload. */
export async function respondImmutable(
  request: Request,
  content: { body: Buffer; contentType: string; hints?: readonly string[] },
  forms: CompressionCache,
): Promise<Response> {
  const { body, contentType } = content;
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  const encoding = chooseEncoding(request, contentType, body.byteLength);
  const etag = `"${digest}${encoding === undefined ? '' : `-${encoding}`}"`;
  const headers = new Headers({
    ...commonHeaders,
    'content-type': contentType,
    'cache-control': immutableCacheControl,
    etag,
    vary: 'accept-encoding',
  });
  if (content.hints && content.hints.length > 0) {
    headers.set('link', content.hints.map((hint) => `<${hint}>; rel=modulepreload`).join(', '));
  }
  if (matchesEtag(request.headers.get('if-none-match'), etag)) {
    return new Response(null, { status: 304, headers });
  }
  if (encoding !== undefined) headers.set('content-encoding', encoding);
  const sent = encoding === undefined ? body : await compress(body, encoding, digest, forms);
  headers.set('content-length', String(sent.byteLength));
  return new Response(request.method === 'HEAD' ? null : new Uint8Array(sent), { headers });
}

type Encoding = 'br' | 'gzip';

function chooseEncoding(
  request: Request,
  contentType: string,
  bytes: number,
): Encoding | undefined {
  if (bytes < 512 || !isCompressible(contentType)) return undefined;
  const accepted = (request.headers.get('accept-encoding') ?? '')
    .split(',')
    .filter((item) => !/;\s*q=0(?:\.0*)?\s*$/.test(item))
    .map((item) => item.split(';')[0]?.trim().toLowerCase());
  return (['br', 'gzip'] as const).find((encoding) => accepted.includes(encoding));
}

function matchesEtag(header: string | null, etag: string): boolean {
  return (header ?? '').split(',').some((item) => item.trim().replace(/^W\//, '') === etag);
}

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

async function compress(
  body: Buffer,
  encoding: Encoding,
  digest: string,
  forms: CompressionCache,
): Promise<Buffer> {
  const key = `${digest}.${encoding}`;
  const cached = await forms.read(key);
  if (cached !== undefined) return cached;
  const compressed = encoding === 'br' ? await compressBrotli(body) : await gzipped(body);
  void forms.write(key, compressed);
  return compressed;
}

/** Compresses a body as for clients that accept Brotli. */
export function compressBrotli(body: Buffer): Promise<Buffer> {
  // Level 5 is where Brotli beats gzip in both size and time. Cached files are not worth a longer
  // wait.
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 5,
    [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength,
  };
  return brotli(body, { params });
}

/** Response of a service that may change. `cacheSeconds` 0 disables caching. */
export function respondJson(message: ServiceResponse, cacheSeconds = 0): Response {
  const cache = cacheSeconds === 0 ? 'no-store' : `public, max-age=${cacheSeconds}`;
  return new Response(JSON.stringify(message), {
    headers: { ...commonHeaders, 'content-type': 'application/json', 'cache-control': cache },
  });
}

/** JavaScript module response that may change. */
export function respondModule(text: string): Response {
  const headers = {
    ...commonHeaders,
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'no-store',
  };
  return new Response(text, { headers });
}

/** Redirect to the exact URL that a range currently resolves to. */
export function respondRedirect(location: string, cacheSeconds: number): Response {
  const cache = `public, max-age=${cacheSeconds}`;
  return new Response(null, {
    status: 302,
    headers: { ...commonHeaders, location, 'cache-control': cache },
  });
}

/** CORS preflight response: other origins may read. */
export function respondPreflight(): Response {
  const headers = {
    ...commonHeaders,
    'access-control-allow-methods': 'GET, HEAD',
    'access-control-max-age': '86400',
  };
  return new Response(null, { status: 204, headers });
}

const statuses: Partial<Record<ErrorCode, number>> = {
  bad_request: 400,
  not_allowed: 403,
  package_address_unknown: 404,
  package_build_failed: 500,
  package_changed: 502,
  package_conflict: 422,
  package_damaged: 502,
  package_json_invalid: 400,
  package_mismatch: 422,
  package_node_only: 422,
  package_not_found: 404,
  package_source_refused: 422,
  package_spec_invalid: 400,
  package_subpath_not_found: 404,
  package_too_large: 413,
  package_unsafe: 422,
  package_version_not_found: 404,
  packages_busy: 503,
  packages_too_slow: 503,
  rate_limited: 429,
  registry_refused: 502,
  registry_unreachable: 503,
  too_many_packages: 422,
};

/** Error response with a code of the error catalog. Not cached, so the next request tries again. */
export function respondError(error: VitrineError, retryAfterSeconds?: number): Response {
  const { code, details } = error;
  const headers = new Headers({
    ...commonHeaders,
    'content-type': 'application/json',
    'cache-control': 'no-store',
  });
  if (retryAfterSeconds !== undefined) headers.set('retry-after', String(retryAfterSeconds));
  const message: ErrorResponse = details === undefined ? { code } : { code, details };
  return new Response(JSON.stringify(message), { status: statuses[code] ?? 500, headers });
}
