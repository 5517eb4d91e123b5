import { chromium, type Browser, type BrowserContext, type Page } from '@playwright/test';
import { build } from 'esbuild';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';

const policy = "default-src 'none'; script-src 'self'; style-src 'nonce-test-nonce'";
const document = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Editor</title>
<style nonce="test-nonce">:root{color-scheme:light dark}main{height:300px}STYLES</style>
<button id="before">Before</button><main></main><button id="after">After</button>
<script type="module" src="/editor.page.js"></script></html>`;

/** The editor on a page of its own in Chromium, under the style policy that the app has. */
export class EditorBrowser {
  readonly #server: Server;
  readonly #browser: Browser;
  readonly #context: BrowserContext;
  readonly #errors: string[] = [];
  readonly address: string;

  private constructor(server: Server, context: BrowserContext, browser: Browser, address: string) {
    this.#server = server;
    this.#browser = browser;
    this.#context = context;
    this.address = address;
  }

  static async start(): Promise<EditorBrowser> {
    const server = await serveBundle();
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const browser = await chromium.launch({
      executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
    });
    const context = await browser.newContext({ viewport: { width: 800, height: 400 } });
    return new EditorBrowser(server, context, browser, `http://127.0.0.1:${address.port}/`);
  }

  /** A fresh page with these files open, the first one shown and focused. */
  async open(files: Record<string, string>, options: { readOnly?: boolean } = {}): Promise<Page> {
    const page = await this.#context.newPage();
    page.on('pageerror', (error) => this.#errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') this.#errors.push(message.text());
    });
    await page.goto(this.address);
    await page.waitForFunction(() => 'page' in globalThis);
    await page.evaluate(([given, opened]) => globalThis.page.open(given, opened), [
      files,
      options,
    ] as const);
    return page;
  }

  /** Closes every page and returns what went wrong in them, console errors included. */
  async closePages(): Promise<string[]> {
    for (const page of this.#context.pages()) await page.close();
    return this.#errors.splice(0);
  }

  async close(): Promise<void> {
    await this.#browser.close();
    this.#server.close();
  }
}

async function serveBundle(): Promise<Server> {
  const styles = await readFile(join(import.meta.dirname, '../src/editor.css'), 'utf8');
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'editor.page.ts')],
    outdir: '/',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  const scripts = new Map(outputFiles.map(({ path, text }) => [path, text]));
  const server = createServer((request, response) => {
    const script = scripts.get(request.url ?? '');
    response.setHeader('content-security-policy', policy);
    response.setHeader('content-type', script ? 'text/javascript' : 'text/html');
    // Every test opens a page of its own.
    if (script) response.setHeader('cache-control', 'max-age=3600');
    response.statusCode = request.url === '/favicon.ico' ? 204 : 200;
    response.end(script ?? document.replace('STYLES', styles));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
