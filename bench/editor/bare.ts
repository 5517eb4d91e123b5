/** A page with bare CodeMirror and three languages. */
import { serve } from '@hono/node-server';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { fileURLToPath } from 'node:url';
import { newContext } from '../workspace/typing.ts';

const page = (script: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Bare</title><script type="module" src="${script}"></script></html>`;

export interface Bare {
  readonly address: string;
  close(): Promise<void>;
}

/** Serves the page on a free port. */
export async function startBare(): Promise<Bare> {
  const script = await bundle();
  const server = serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) =>
      new URL(url).pathname === '/bare.js'
        ? new Response(script, { headers: { 'Content-Type': 'text/javascript' } })
        : new Response(page('/bare.js'), { headers: { 'Content-Type': 'text/html' } }),
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    address: `http://bare.localhost:${address.port}`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** Opens the page with this text as a script. */
export async function openBare(browser: Browser, { address }: Bare, text: string): Promise<Page> {
  const opened = await (await newContext(browser)).newPage();
  await opened.addInitScript((doc) => (window.bareText = doc), text);
  await opened.goto(address);
  await opened.locator('.cm-content').click();
  return opened;
}

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('./bare-page.ts', import.meta.url))],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
  });
  const [output] = outputFiles;
  if (!output) throw new Error('esbuild produced no output for the bare page');
  return output.text;
}
