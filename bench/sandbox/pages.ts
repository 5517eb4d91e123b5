/**
 * Two pages: sample, which shows a project with `mount()`, and the baseline, which does the least
 * that a page can do.
 */
import { toTextFiles } from '@vitrine/project';
import { serve } from '@hono/node-server';
import { createPreviewServer, type ServedProject } from '@vitrine/sandbox/server';
import { build } from 'esbuild';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export interface Pages {
  /** URL of a page: `sample` or `baseline`, and what is measured. */
  address(side: Side, what: string): string;
  close(): Promise<void>;
}

export type Side = 'sample' | 'baseline';

/** The content of both sides. */
export interface Shown {
  /** Script of the page, for both sides. */
  readonly page: URL;
  readonly projects: readonly ServedProject[];
  /** Document of the baseline's frame, unless `answer` provides it. */
  readonly baselineFrame?: string;
  /** Additional responses of the app's or the baseline's host. */
  answer?(request: Request): Promise<Response | undefined>;
}

/** Both sides report when a change is on the screen. */
export const typing: Shown = {
  page: new URL('./page.ts', import.meta.url),
  projects: [
    {
      id: 'bench',
      slug: 'benchbench',
      revision: 1,
      isPrivate: false,
      files: toTextFiles([
        [
          'index.html',
          '<!doctype html><html lang="en"><head><title>Bench</title><link rel="stylesheet" href="style.css"></head><body><h1>Bench</h1><script src="script.js"></script></body></html>',
        ],
        ['style.css', 'h1 { --n: 0 }'],
        ['script.js', 'document.documentElement.dataset.n = 0'],
      ]),
    },
  ],
  // The same page without our code, changed by messages.
  baselineFrame: `<!doctype html><html lang="en"><head><title>Bench</title><style id="style">h1 { --n: 0 }</style></head>
<body><h1>Bench</h1><script>
addEventListener('message', ({ data }) => {
  if (data.css) document.querySelector('#style').textContent = data.css;
  if (data.html) document.querySelector('h1').textContent = data.html;
  if (data.loop) {
    parent.postMessage({ loops: true }, '*');
    setTimeout(() => { for (;;); });
  }
});
</script></body></html>`,
};

export async function servePages({ page, projects, ...shown }: Shown): Promise<Pages> {
  const scripts = await bundlePage(page);
  let answer: (request: Request) => Promise<Response> = async () => new Response(null);
  const server = serve({ fetch: (request) => answer(request), hostname: '127.0.0.1', port: 0 });
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const host = `vitrine.localhost:${address.port}`;
  const previews = createPreviewServer({
    appOrigins: [`http://${host}`],
    hosts: [host],
    secret: randomBytes(32),
    readProject: async (wanted) => projects.find(({ slug }) => slug === wanted.slug),
  });
  answer = async (request) => {
    const { pathname, hostname } = new URL(request.url);
    const own = await shown.answer?.(request);
    if (own) return own;
    if (hostname.startsWith('baseline.'))
      return html(shown.baselineFrame ?? '', { 'Origin-Agent-Cluster': '?1' });
    if (pathname === oxcFile) return answerOxc();
    return (await previews.fetch(request)) ?? answerApp(pathname, scripts);
  };
  return {
    address: (side, what) => `http://${host}/${side}?${what}`,
    async close() {
      await previews.close();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function answerApp(pathname: string, scripts: ReadonlyMap<string, string>): Response {
  const script = scripts.get(pathname);
  if (script !== undefined)
    return new Response(script, {
      headers: { 'Content-Type': 'text/javascript', 'Cache-Control': 'max-age=3600' },
    });
  return html(`<!doctype html><html lang="en"><title>Type here</title><textarea></textarea>
<div id="result" style="height: 300px"></div><script type="module" src="/page.js"></script></html>`);
}

function html(text: string, headers: Record<string, string> = {}): Response {
  return new Response(text, {
    headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers },
  });
}

/** Target of the worker's `new URL(…)` without a Vite build. */
const oxcFile = '/@oxc-transform/binding-wasm32-wasi/transform.wasm32-wasi.wasm';

async function answerOxc(): Promise<Response> {
  const bytes = await readFile(fileURLToPath(import.meta.resolve(oxcFile.slice(1))));
  return new Response(bytes, { headers: { 'Content-Type': 'application/wasm' } });
}

/** Bundles by URL; the worker's is that of `new URL('./compile-worker.ts', import.meta.url)`. */
async function bundlePage(page: URL): Promise<Map<string, string>> {
  const sandbox = new URL('./', import.meta.resolve('@vitrine/sandbox/host'));
  const result = await build({
    entryPoints: {
      page: fileURLToPath(page),
      'compile-worker': fileURLToPath(new URL('./compile-worker.ts', sandbox)),
    },
    bundle: true,
    splitting: true,
    write: false,
    minify: true,
    format: 'esm',
    outdir: '/',
  });
  const scripts = new Map(result.outputFiles.map(({ path, text }) => [path, text]));
  scripts.set('/compile-worker.ts', scripts.get('/compile-worker.js') ?? '');
  return scripts;
}
