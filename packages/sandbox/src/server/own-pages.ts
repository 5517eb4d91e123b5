import { instrumentHtml } from '@vitrine/compiler';
import { documentHeaders } from '../headers.ts';

/** An empty page that registers the service worker, takes the files and leaves for the project. */
export function bootPage(frameScript: string, appOrigins: readonly string[]): Response {
  const html = '<!doctype html><html lang="en"><title>Starting</title></html>\n';
  return page(html, 'boot', frameScript, appOrigins, [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ]);
}

/**
 * The page that becomes the project where there is no origin for it. The policy sandboxes it even
 * when somebody opens it by itself, so the host that answers it lends it nothing.
 */
export function portablePage(frameScript: string, appOrigins: readonly string[]): Response {
  const html = '<!doctype html><html lang="en"><title>Starting</title></html>\n';
  return page(html, 'portable', frameScript, appOrigins, [
    'sandbox allow-scripts allow-forms allow-modals allow-popups allow-downloads allow-pointer-lock',
  ]);
}

function page(
  html: string,
  kind: string,
  frameScript: string,
  appOrigins: readonly string[],
  policy: string[],
): Response {
  const headers = documentHeaders(appOrigins);
  headers['Content-Security-Policy'] = [...policy, headers['Content-Security-Policy']].join('; ');
  return new Response(instrumentHtml(html, { src: frameScript, data: { kind, path: '' } }), {
    headers,
  });
}
