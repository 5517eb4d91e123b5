import { instrumentHtml } from '@vitrine/compiler';
import { documentHeaders } from './headers.ts';

/**
 * Empty page that registers the service worker, receives the files and navigates to the project. The
 * server responds with it and, while the server can't be reached, the service worker.
 */
export function respondBootPage(frameScript: string, appOrigins: readonly string[]): Response {
  return respondStartPage('boot', frameScript, appOrigins, [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ]);
}

/** Empty page of a kind that the frame's script knows, with additions to its policy. */
export function respondStartPage(
  kind: string,
  frameScript: string,
  appOrigins: readonly string[],
  policy: readonly string[],
): Response {
  const headers = documentHeaders(appOrigins);
  headers['Content-Security-Policy'] = [...policy, headers['Content-Security-Policy']].join('; ');
  const html = '<!doctype html><html lang="en"><title>Starting</title></html>\n';
  return new Response(instrumentHtml(html, { src: frameScript, data: { kind, path: '' } }), {
    headers,
  });
}
