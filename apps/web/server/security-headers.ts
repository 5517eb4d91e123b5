import { randomBytes } from 'node:crypto';

/** 128 bits for one response. */
export function newNonce(): string {
  return randomBytes(16).toString('base64');
}

export interface PageSources {
  readonly nonce: string;
  /** Preview origins that may be framed, as CSP sources: `http://*.vitrine.localhost:4000`. */
  readonly frames: readonly string[];
  /** Origins that the page may talk to beside its own: a hosted backend. */
  readonly connections: readonly string[];
  /** Origins whose pictures it may show beside its own: a hosted backend, which has those of people. */
  readonly images: readonly string[];
  readonly https: boolean;
}

const denied = [
  'camera',
  'microphone',
  'geolocation',
  'payment',
  'usb',
  'serial',
  'hid',
  'display-capture',
  'midi',
  'browsing-topics',
];

/** On every answer of the app's host, whatever it is. `docs/security.md` has the table. */
export function setCommonHeaders(headers: Headers, https: boolean): void {
  headers.set('X-Content-Type-Options', 'nosniff');
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Resource-Policy', 'same-origin');
  headers.set('Origin-Agent-Cluster', '?1');
  if (!headers.has('Referrer-Policy'))
    headers.set('Referrer-Policy', 'strict-origin-when-cross-origin');
  headers.set('Permissions-Policy', denied.map((feature) => `${feature}=()`).join(', '));
  headers.set('X-Frame-Options', 'DENY');
  if (https) headers.set('Strict-Transport-Security', 'max-age=63072000; includeSubDomains');
}

/**
 * Headers of an answer that is of no page and no service: the server's health, its refusals and its
 * errors. `https` is whether the host that was asked is one of ours under HTTPS.
 */
export function bareHeaders(https: boolean): Headers {
  const headers = new Headers({
    'Cache-Control': 'no-store',
    'Content-Security-Policy': inertPolicy,
  });
  setCommonHeaders(headers, https);
  return headers;
}

/** One line of text under `bareHeaders`. */
export function bareAnswer(status: number, line: string, https = false): Response {
  const headers = bareHeaders(https);
  headers.set('Content-Type', 'text/plain; charset=utf-8');
  return new Response(`${line}\n`, { status, headers });
}

/** For documents: a nonce for every script, no framing, no third party. */
export function contentSecurityPolicy(sources: PageSources): string {
  const { nonce, frames, connections, images, https } = sources;
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    ["img-src 'self' blob: data:", ...images].join(' '),
    "font-src 'self'",
    ["connect-src 'self'", ...connections].join(' '),
    "worker-src 'self'",
    // A link to write or to call leaves no page; one that were refused would take its own away.
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

/** For everything that is not a document: nothing in it may run or be framed. */
export const inertPolicy = "default-src 'none'; frame-ancestors 'none'";

/**
 * For the built script that compiles, which runs as a worker under this policy and not under its
 * page's: it loads its larger part, and starts WebAssembly from it. Nothing else may.
 */
export const compilingWorkerPolicy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; frame-ancestors 'none'";

/**
 * For the built scripts that understand, check and format code: the first loads declarations of the
 * language and of packages, the others what they need for a language.
 */
export const understandingWorkerPolicy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'";
