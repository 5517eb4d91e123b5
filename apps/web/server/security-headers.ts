import { permissions } from '@vitrine/sandbox/permissions';
import { randomBytes } from 'node:crypto';

/** Generates a CSP nonce: 128 random bits, for one response. */
export function createNonce(): string {
  return randomBytes(16).toString('base64');
}

interface CspSources {
  readonly nonce: string;
  /** Preview origins that may be framed, as CSP sources: `http://*.vitrine.localhost:4000`. */
  readonly frames: readonly string[];
  /** Other origins that the page may connect to: a hosted backend. */
  readonly connections: readonly string[];
  /** Other origins whose images the page may show: a hosted backend, which has the avatars. */
  readonly images: readonly string[];
  readonly https: boolean;
}

const deniedFeatures = ['payment', 'usb', 'serial', 'hid', 'browsing-topics'];

/**
 * Builds the Permissions-Policy. A page can only pass on to a frame what its own origin may use, so pages name
 * themselves and the origins of previews; the frame's `allow` then decides (SB-31). Other responses get nothing.
 *
 * @param frames Sources of framed documents. Only `*.HOST` is the origins of previews.
 */
export function buildPermissionsPolicy(frames: readonly string[]): string {
  const previews = frames.filter((frame) => frame.includes('//*.')).map((frame) => `"${frame}"`);
  const allowlist = previews.length === 0 ? '' : ['self', ...previews].join(' ');
  return [
    ...permissions.map(({ name }) => `${name}=(${allowlist})`),
    ...deniedFeatures.map((feature) => `${feature}=()`),
  ].join(', ');
}

/** Sets the headers for every response of the app's host. `docs/security.md` lists them. */
export function setCommonHeaders(headers: Headers, https: boolean): void {
  headers.set('X-Content-Type-Options', 'nosniff');
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Resource-Policy', 'same-origin');
  headers.set('Origin-Agent-Cluster', '?1');
  if (!headers.has('Referrer-Policy'))
    headers.set('Referrer-Policy', 'strict-origin-when-cross-origin');
  if (!headers.has('Permissions-Policy'))
    headers.set('Permissions-Policy', buildPermissionsPolicy([]));
  headers.set('X-Frame-Options', 'DENY');
  if (https) headers.set('Strict-Transport-Security', 'max-age=63072000; includeSubDomains');
}

/**
 * Creates headers for the server's own responses: health checks, rejections and errors.
 * @param https whether the request was sent to one of our hosts over HTTPS
 */
export function createBaseHeaders(https: boolean): Headers {
  const headers = new Headers({
    'Cache-Control': 'no-store',
    'Content-Security-Policy': inertPolicy,
  });
  setCommonHeaders(headers, https);
  return headers;
}

/** Creates a response with a line of text. */
export function createTextResponse(status: number, line: string, https = false): Response {
  const headers = createBaseHeaders(https);
  headers.set('Content-Type', 'text/plain; charset=utf-8');
  return new Response(`${line}\n`, { status, headers });
}

/** Builds the CSP for pages: a nonce for every script, no framing, no third parties. */
export function buildContentSecurityPolicy(sources: CspSources): string {
  const { nonce, frames, connections, images, https } = sources;
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    ["img-src 'self' blob: data:", ...images].join(' '),
    // Audio and video of the project, played in their tabs.
    "media-src 'self' blob:",
    "font-src 'self'",
    ["connect-src 'self'", ...connections].join(' '),
    "worker-src 'self'",
    // A `mailto:` or `tel:` link doesn't leave the page, but a blocked one would unload its frame.
    ["frame-src 'self' mailto: tel:", ...frames].join(' '),
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
    ...(https ? ['upgrade-insecure-requests'] : []),
  ].join('; ');
}

/** CSP for responses that aren't pages: nothing may run or be framed. */
export const inertPolicy = "default-src 'none'; frame-ancestors 'none'";

/**
 * CSP of the compile worker, which a worker gets from its own script's response instead of its
 * page. It imports the larger part of its code, and is the only one that may start WebAssembly.
 */
export const compileWorkerPolicy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; frame-ancestors 'none'";

/**
 * CSP of the workers for language services, lint, formatting and search, which load type
 * declarations and code for a language.
 */
export const languageWorkerPolicy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'";
