/**
 * A minimal app around previews: a page that mounts them, the real preview server, and switches that disable one
 * protection each, so that tests can show they would fail without it.
 */
import { serve } from '@hono/node-server';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { answerFramework } from './frameworks.ts';
import { answerPackage } from './packages.ts';
import { scriptsFolder } from './scripts-folder.ts';
import { buildBundleCached } from '../../src/server/bundle-cache.ts';
import { createPreviewServer, type ServedProject } from '../../src/server/index.ts';

export interface Rig {
  port: number;
  appOrigin: string;
  previewHost: string;
  projects: Map<string, ServedProject>;
  /** Bytes of assets by hash. */
  assets: Map<string, Uint8Array<ArrayBuffer>>;
  /** Modifies responses; reset to undefined after each test that uses it. */
  tamper: ((address: URL, response: Response) => Response | Promise<Response>) | undefined;
  /** Requested URLs with their cookies, oldest first. */
  requests: { url: string; cookie: string | null }[];
  mintEntry(key: string, origin: string, accessToken: string): Promise<string>;
  close(): Promise<void>;
}

export async function startRig(): Promise<Rig> {
  const scripts = await buildAppScripts();
  let answer: (request: Request) => Promise<Response> = async () => new Response(null);
  const server = serve({ fetch: (request) => answer(request), hostname: '127.0.0.1', port: 0 });
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const host = `vitrine.localhost:${port}`;
  const previewHost = `vitrine-preview.localhost:${port}`;
  const appOrigin = `http://${host}`;
  const projects = new Map<string, ServedProject>();
  const assets: Rig['assets'] = new Map();
  const previews = createPreviewServer({
    appOrigins: [appOrigin, `http://127.0.0.1:${port}`, `http://localhost:${port}`],
    hosts: [host, previewHost],
    secret: randomBytes(32),
    scriptsFolder,
    async readProject({ slug, accessToken }) {
      const project = projects.get(slug);
      return project?.isPrivate && accessToken !== 'token-of-owner' ? undefined : project;
    },
    async readAsset(_, { hash }, range) {
      const bytes = assets.get(hash);
      const part = bytes && range ? bytes.slice(range.from, range.to + 1) : bytes;
      return part && new Blob([part]).stream();
    },
  });
  const rig: Rig = {
    port,
    appOrigin,
    previewHost,
    projects,
    assets,
    tamper: undefined,
    requests: [],
    mintEntry: (key, origin, accessToken) =>
      previews.mintAccessUrl({ key, origin, accessToken, expiresAt: Date.now() + 3_600_000 }),
    async close() {
      await previews.close();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  answer = async (request) => {
    const address = new URL(request.url);
    rig.requests.push({ url: request.url, cookie: request.headers.get('Cookie') });
    const response =
      (await previews.fetch(request)) ??
      answerPackage(address.pathname) ??
      (await answerFramework(address.pathname)) ??
      (address.pathname === '/enter'
        ? await answerEntry(address, rig)
        : ((await answerPart(address.pathname)) ??
          answerAsset(address, rig) ??
          answerApp(address, scripts, rig)));
    return rig.tamper ? rig.tamper(address, response) : response;
  };
  // The server builds its scripts before it responds to this, so tests start with a server that is ready.
  await previews.fetch(new Request(`${appOrigin}/__vitrine/srcdoc`));
  return rig;
}

async function answerEntry(address: URL, rig: Rig): Promise<Response> {
  const key = address.searchParams.get('key') ?? '';
  const origin = address.searchParams.get('origin') ?? '';
  return new Response(await rig.mintEntry(key, origin, 'token-of-owner'));
}

function answerAsset({ pathname }: URL, { assets }: Rig): Response | undefined {
  const [, hash] = /^\/assets\/([0-9a-f]{64})$/.exec(pathname) ?? [];
  if (hash === undefined) return undefined;
  const bytes = assets.get(hash);
  return bytes ? new Response(bytes) : new Response(null, { status: 404 });
}

function answerApp(address: URL, scripts: Map<string, string>, rig: Rig): Response {
  const script = scripts.get(address.pathname);
  if (script !== undefined)
    return new Response(script, { headers: { 'Content-Type': 'text/javascript' } });
  const html = `<!doctype html><meta charset="utf-8"><title>App</title>
<style>html,body{margin:0;height:100%}#result{height:400px;width:600px;background:#fff}#tests{height:200px;width:600px}iframe{border:0;width:100%;height:100%}</style>
<textarea id="code"></textarea><div id="result"></div>
<div id="tests" inert></div>
<script type="module" src="/host.js"></script>`;
  return new Response(html, {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `frame-src http://*.vitrine.localhost:${rig.port} http://*.vitrine-preview.localhost:${rig.port} http://vitrine-preview.localhost:${rig.port} http://127.0.0.1:${rig.port} http://localhost:${rig.port}`,
      'Set-Cookie': '__Host-session=secret; Path=/; Secure; SameSite=Lax; Priority=High',
    },
  });
}

export async function buildAppScripts(): Promise<Map<string, string>> {
  const { files } = await buildBundleCached(
    {
      entryPoints: {
        host: fileURLToPath(new URL('./app-page.ts', import.meta.url)),
        'compile-worker': fileURLToPath(
          new URL('../../src/host/compile-worker.ts', import.meta.url),
        ),
      },
      splitting: true,
      minify: true,
      format: 'esm',
      target: 'es2024',
      // As Vite does.
      define: { 'process.env': '{}' },
    },
    scriptsFolder,
  );
  const scripts = new Map(Array.from(files, ([name, text]) => [`/${name}`, text]));
  scripts.set('/compile-worker.ts', scripts.get('/compile-worker.js') ?? '');
  return scripts;
}

/** URLs of the worker's own `new URL(…)`, which Vite would rewrite. */
const partTypes: Readonly<Record<string, string>> = {
  '/@oxc-transform/binding-wasm32-wasi/transform.wasm32-wasi.wasm': 'application/wasm',
  '/tailwindcss/index.css': 'text/css',
  '/tailwindcss/theme.css': 'text/css',
  '/tailwindcss/preflight.css': 'text/css',
  '/tailwindcss/utilities.css': 'text/css',
};

async function answerPart(pathname: string): Promise<Response | undefined> {
  const type = partTypes[pathname];
  if (type === undefined) return undefined;
  const bytes = await readFile(fileURLToPath(import.meta.resolve(pathname.slice(1))));
  return new Response(bytes, { headers: { 'Content-Type': type } });
}
