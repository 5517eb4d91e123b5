import { chromium, type Browser, type BrowserContext, type Page } from '@playwright/test';
import { getChromiumOptions } from '@vitrine/testing/chromium';
import { build } from 'esbuild';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';

const policy =
  "default-src 'none'; img-src blob:; script-src 'self'; style-src 'nonce-test-nonce'; require-trusted-types-for 'script'";
const document = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Editor</title>
<style nonce="test-nonce">:root{color-scheme:light dark}main{height:300px}STYLES</style>
<button id="before">Before</button><main></main><button id="after">After</button>
<script type="module" src="/editor.page.js"></script></html>`;

/** Opens the editor in a Chromium page of its own, with the app's content security policy. */
export class EditorBrowser {
  readonly #server: Server;
  readonly #browser: Browser;
  readonly #page: Page;
  readonly #errors: string[] = [];
  readonly address: string;

  private constructor(server: Server, browser: Browser, page: Page, address: string) {
    this.#server = server;
    this.#browser = browser;
    this.#page = page;
    this.address = address;
    page.on('pageerror', (error) => this.#errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') this.#errors.push(message.text());
    });
  }

  static async start(): Promise<EditorBrowser> {
    const server = await serveBundle();
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const browser = await chromium.launch(getChromiumOptions());
    const page = await browser.newPage({ viewport: { width: 800, height: 400 } });
    return new EditorBrowser(server, browser, page, `http://127.0.0.1:${address.port}/`);
  }

  /** Opens a new document with these files. The first one is shown and focused. */
  async open(files: Record<string, string>): Promise<Page> {
    const page = await this.load();
    await page.evaluate((given) => globalThis.page.open(given), files);
    return page;
  }

  /** Opens a new document without an editor. */
  async load(): Promise<Page> {
    await this.#page.goto(this.address);
    await this.#page.waitForFunction(() => 'page' in globalThis);
    return this.#page;
  }

  /** Opens an empty page in a context of its own, for a script that has to run first. */
  async openAnother(): Promise<{ context: BrowserContext; page: Page }> {
    const context = await this.#browser.newContext();
    return { context, page: await context.newPage() };
  }

  /** Errors since the last call, including console errors. */
  takeErrors(): string[] {
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
    // The Emacs package calls functions that log a deprecation.
    ignoreAnnotations: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  const scripts = new Map(outputFiles.map(({ path, text }) => [path, text]));
  const server = createServer((request, response) => {
    const script = scripts.get(request.url ?? '');
    response.setHeader('content-security-policy', policy);
    response.setHeader('content-type', script ? 'text/javascript' : 'text/html');
    // Every test opens its own page.
    if (script) response.setHeader('cache-control', 'max-age=3600');
    response.statusCode = request.url === '/favicon.ico' ? 204 : 200;
    response.end(script ?? document.replace('STYLES', styles));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
