/** The baseline: bare CodeMirror next to a frame in another process. */
import { serve } from '@hono/node-server';
import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

export interface Baseline {
  /** `/told`, `/fresh` and `/module` are pages to type in, `/bare` has only a frame. */
  readonly address: string;
  close(): Promise<void>;
}

export async function startBaseline(): Promise<Baseline> {
  const script = await bundle();
  const server = serve({
    fetch: ({ url }) => answer(new URL(url), script),
    hostname: '127.0.0.1',
    port: 0,
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    address: `http://baseline.localhost:${address.port}`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

function answer({ pathname, hostname, host }: URL, script: string): Response {
  if (pathname === '/baseline.js')
    return new Response(script, { headers: { 'Content-Type': 'text/javascript' } });
  if (pathname === '/bare') return html(bare(host));
  return html(/^frame[.-]/.test(hostname) ? frame : editor);
}

function html(text: string): Response {
  return new Response(text, {
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Origin-Agent-Cluster': '?1' },
  });
}

const bare = (host: string) =>
  `<!doctype html><html lang="en"><title>Bare</title><iframe src="http://frame.${host}/"></iframe></html>`;

/** Limits the editor's height, because a frame out of view isn't painted. */
const editor = `<!doctype html><html lang="en"><title>Type here</title><style>.cm-editor { max-height: 50vh }</style><div id="code"></div><div id="result"></div>
<script type="module" src="/baseline.js"></script></html>`;

const frame = `<!doctype html><html lang="en"><title>Bench</title><h1>Bench 1</h1><script>
addEventListener('message', ({ data }) => {
  if (data.run) new Function(data.run)();
  else if (data.module) import(URL.createObjectURL(new Blob([data.module], { type: 'text/javascript' })));
  else document.querySelector('h1').textContent = 'Bench ' + data;
});
</script></html>`;

async function bundle(): Promise<string> {
  const result = await build({
    entryPoints: [fileURLToPath(new URL('./baseline-page.ts', import.meta.url))],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
  });
  const [output] = result.outputFiles;
  if (!output) throw new Error('esbuild produced no output for the baseline');
  return output.text;
}
