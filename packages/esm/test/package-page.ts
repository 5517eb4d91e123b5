import { serve } from '@hono/node-server';
import type { Browser, Page } from '@playwright/test';
import type { Server } from 'node:http';
import type { PackageServer } from '../src/index.ts';

/**
 * A browser page next to a package server, with another origin than the packages, like previews.
 */
export interface PackagePage {
  readonly page: Page;
  /** What the page reported: console errors and warnings, and uncaught errors. */
  readonly complaints: string[];
  /** Path and query of each request under /npm. */
  readonly requests: string[];
  /** Full URL of a path. */
  addressOf(path: string): string;
  /** Runs a module whose imports are paths ('/npm/…'), and returns its default export. */
  run(script: string): Promise<unknown>;
}

export interface PackageHost {
  open<T>(use: (page: PackagePage) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const html = '<!doctype html><meta charset="utf-8"><title>Page</title><body></body>';

/** Serves `packages` on a port, and opens pages that load from it. */
export async function startPackageHost(
  packages: PackageServer,
  browser: Browser,
): Promise<PackageHost> {
  const fetch = async (request: Request) =>
    (await packages.fetch(request)) ??
    new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } });
  const server = await new Promise<Server>((ready) => {
    const started = serve({ fetch, port: 0, hostname: '127.0.0.1' }, () =>
      ready(started as Server),
    );
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const { port } = address;
  return {
    async open(use) {
      const context = await browser.newContext();
      try {
        const page = await context.newPage();
        const opened = watch(page, `http://127.0.0.1:${port}`);
        await page.goto(`http://localhost:${port}/page`);
        return await use(opened);
      } finally {
        await context.close();
      }
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function watch(page: Page, origin: string): PackagePage {
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/npm/')) requests.push(pathname + search);
  });
  return {
    page,
    complaints,
    requests,
    addressOf: (path) => origin + path,
    // Passed as text, because the test runner transforms the functions in this file.
    run: (script) =>
      page.evaluate(
        `import(URL.createObjectURL(new Blob([${JSON.stringify(
          script.replaceAll(/(['"])(\/npm\/)/g, `$1${origin}$2`),
        )}], { type: 'text/javascript' }))).then((module) => module.default)`,
      ),
  };
}
