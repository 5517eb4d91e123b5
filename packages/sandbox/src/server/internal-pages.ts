import { instrumentHtml } from '@vitrine/compiler';
import { documentHeaders } from '../headers.ts';
import { respondStartPage } from '../start-page.ts';
import type { TestScripts } from './test-scripts.ts';

/**
 * Page of the srcdoc transport, which becomes the project's page. Its policy sandboxes it even if it is opened in a tab,
 * so that user code never gets the origin of the host that serves it.
 */
export function respondSrcdocPage(frameScript: string, appOrigins: readonly string[]): Response {
  return respondStartPage('srcdoc', frameScript, appOrigins, [sandboxed]);
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
