/**
 * Server-rendered pages per second for a visitor without a session, next to the least that React
 * Router can do: a page with one heading, built the same way and served by the same adaptor.
 */
import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { createRequestHandler, RouterContextProvider } from 'react-router';
import { startServer } from '@vitrine/testing/server';
import { countRounds, type Bench, type Measurement } from '../bench.ts';
import { countRequests } from '../load.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const rounds = countRounds(7);

async function measureHome(): Promise<Measurement> {
  const bare = await serveBarePage();
  const sample = await startServer();
  const measured = { sample: [] as number[], baseline: [] as number[] };
  try {
    const { port } = new URL(sample.address);
    const home = { port: Number(port), host: sample.host, path: '/' };
    const baseline = { port: bare.port, host: `localhost:${bare.port}`, path: '/' };
    for (let round = -1; round < rounds; round++) {
      const pair = [await countRequests(home), await countRequests(baseline)] as const;
      // The first round warms both up.
      if (round >= 0) {
        measured.sample.push(pair[0]);
        measured.baseline.push(pair[1]);
      }
    }
  } finally {
    bare.server.close();
    await sample.remove();
  }
  return { ...measured, unit: 'per-second' };
}

async function serveBarePage(): Promise<{ server: Server; port: number }> {
  const folder = `${root}bench/pages/bare`;
  execFileSync(
    process.execPath,
    [`${root}node_modules/@react-router/dev/bin.cjs`, 'build', folder, '--logLevel', 'error'],
    {
      cwd: folder,
      env: { ...process.env, NODE_ENV: 'production' },
    },
  );
  const build = await import(pathToFileURL(`${root}.cache/bench-bare/server/index.js`).href);
  const render = createRequestHandler(build, 'production');
  const server = createServer(
    getRequestListener((request) => render(request, new RouterContextProvider())),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return { server, port: address.port };
}

export const benches: readonly Bench[] = [{ name: 'pages/home', run: measureHome }];
