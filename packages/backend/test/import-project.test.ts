import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { getRequestListener } from '@hono/node-server';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isErrorCode, limits } from '@vitrine/project';
import {
  openTestBackend,
  signUpConfirmed,
  type Browser,
  type TestBackend,
} from '@vitrine/testing/backend';
import { startFakeCodeHosts, type FakeCodeHosts } from '@vitrine/testing/code-hosts';
import { findDeno } from '../src/functions/deno.ts';
import { readStoredZip } from './stored-zip.ts';

const root = resolve(import.meta.dirname, '../../..');
let hosts: FakeCodeHosts;
let first: TestBackend | undefined;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  hosts = await startFakeCodeHosts();
  hosts.publish({
    address: 'github.com/ann/birds',
    files: {
      'README.md': '# Birds',
      'demo/index.html': '<h1>Birds</h1>',
      'demo/img/ö [1].svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'demo-2/index.html': '<h1>Others</h1>',
    },
  });
  hosts.publish({
    address: 'github.com/ann/birds',
    ref: 'fix/wings',
    files: { 'demo/index.html': '<h1>Wings</h1>' },
  });
  hosts.publish({
    address: 'gist.github.com/aa5a315d61ae9438b18d',
    files: { 'index.html': '<h1>Gist</h1>', 'a.css': 'a {}' },
  });
});
afterEach(() => hosts.restore());
afterAll(async () => {
  for (const close of closers.toReversed()) await close();
  await hosts.close();
});

/** Opens a backend whose functions import through the fake hosts. */
async function openPlace(
  variables: NodeJS.Dict<string> = {},
  deno: string | undefined = undefined,
): Promise<TestBackend> {
  let answer = async (_request: Request) => new Response(null, { status: 503 });
  const server = createServer(getRequestListener((request) => answer(request)));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const cacheDir = await mkdtemp(join(tmpdir(), 'vitrine-import-'));
  const functions = {
    folder: join(root, 'supabase'),
    denoPath: deno,
    cacheDir,
    url: `http://127.0.0.1:${port}`,
    variables: { IMPORT_MIRROR: hosts.origin, ...variables },
  };
  const place = await openTestBackend({ functions }, first);
  answer = (request) => place.backend.fetch(request);
  closers.push(async () => {
    await place.close();
    server.closeAllConnections();
    server.close();
    await rm(cacheDir, { recursive: true });
  });
  first ??= place;
  return place;
}

/** Imports a link: returns the files and the report, or the error's code. */
async function importLink({ client }: Browser, link: unknown) {
  const { data, error, response } = await client.functions.invoke('import-project', {
    body: { link },
  });
  if (error) {
    const { code } = (await response?.json()) ?? {};
    expect(code).toSatisfy(isErrorCode);
    return { code };
  }
  const entries = readStoredZip(Buffer.from(await data.arrayBuffer()));
  const report = JSON.parse(entries.get('__vitrine/import.json')?.toString() ?? '');
  entries.delete('__vitrine/import.json');
  const files = Object.fromEntries([...entries].map(([path, bytes]) => [path, bytes.toString()]));
  return { files, ...report };
}

const deno = findDeno(root);

describe.each([
  ['Node', undefined],
  ['Deno', deno],
])('in %s', (runtime, path) => {
  const when = runtime === 'Deno' ? test.skipIf(deno === undefined) : test;
  let place: TestBackend;
  let visitor: Browser;
  beforeAll(async () => {
    place = await openPlace({}, path);
    visitor = place.openBrowser();
  });

  when('imports a folder of a repository', async () => {
    hosts.requests.length = 0;
    expect(
      await importLink(visitor, 'https://github.com/ann/birds/tree/main/demo?tab=readme#top'),
    ).toEqual({
      files: {
        'index.html': '<h1>Birds</h1>',
        'img/ö [1].svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      },
      repository: 'ann/birds',
      ref: 'main',
      folder: 'demo',
      leftOut: [],
    });
    expect(hosts.requests).toEqual(['codeload.github.com/ann/birds/tar.gz/main']);
  });
});
