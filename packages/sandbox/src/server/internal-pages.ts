import { instrumentHtml } from '@vitrine/compiler';
import { documentHeaders } from '../headers.ts';
import type { TestScripts } from './test-scripts.ts';

/** Empty page that registers the service worker, receives the files and navigates to the project. */
export function respondBootPage(frameScript: string, appOrigins: readonly string[]): Response {
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
 * Page of the srcdoc transport, which becomes the project's page. Its policy sandboxes it even if it is opened in a tab,
 * so that user code never gets the origin of the host that serves it.
 */
export function respondSrcdocPage(frameScript: string, appOrigins: readonly string[]): Response {
  const html = '<!doctype html><html lang="en"><title>Starting</title></html>\n';
  return page(html, 'portable', frameScript, appOrigins, [sandboxed]);
}

const sandboxed =
  'sandbox allow-scripts allow-forms allow-modals allow-popups allow-downloads allow-pointer-lock';

/** Empty page that runs one test file, on an isolated or an opaque origin. */
export function respondTestPage(
  transport: 'isolated-origin' | 'srcdoc',
  { page: src, runner, imports }: TestScripts,
  appOrigins: readonly string[],
): Response {
  const headers = documentHeaders(appOrigins);
  if (transport === 'srcdoc')
    headers['Content-Security-Policy'] = `${sandboxed}; ${headers['Content-Security-Policy']}`;
  const data = { kind: 'tests', path: '', runner, imports: JSON.stringify(imports) };
  const html = '<!doctype html><html lang="en"><title>Tests</title></html>\n';
  return new Response(
    instrumentHtml(html, {
      src,
      data: transport === 'isolated-origin' ? { ...data, served: '' } : data,
    }),
    { headers },
  );
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
