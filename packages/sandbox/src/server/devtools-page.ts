import { documentHeaders } from '../headers.ts';
import { devtoolsModule } from './devtools-files.ts';
import type { PreviewKey } from './preview-hosts.ts';

/**
 * Page of the DevTools front end. The front end displays data of user pages and is third-party code, so it gets an
 * origin of its own, or an opaque one, and may send requests only to that host.
 */
export function respondDevtoolsPage(
  { origin }: URL,
  key: PreviewKey | undefined,
  script: string,
  appOrigins: readonly string[],
): Response {
  const policy = [
    "default-src 'none'",
    `script-src ${origin}`,
    `worker-src ${origin}`,
    // The front end creates stylesheets and sets inline styles by script.
    `style-src ${origin} 'unsafe-inline'`,
    `img-src ${origin} data: blob:`,
    `connect-src ${origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${appOrigins.join(' ')}`,
    ...(key?.kind === 'devtools' ? [] : ['sandbox allow-scripts allow-downloads']),
  ];
  const headers = {
    ...documentHeaders(appOrigins),
    'Content-Security-Policy': policy.join('; '),
    'Cache-Control': 'no-cache',
  };
  return new Response(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>DevTools</title>
<script src="${script}"></script>
<script type="module" src="${devtoolsModule}"></script>
<body class="undocked" id="-blink-dev-tools"></body></html>
`,
    { headers },
  );
}
