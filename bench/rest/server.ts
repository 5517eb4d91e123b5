/** The measured process: REST and its baseline on two ports, which it sends to the parent. */
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createRest } from '@vitrine/backend/rest';
import { openBenchDatabase } from './database.ts';
import { claims, createBaseline } from './baseline.ts';

const database = await openBenchDatabase();
const log = { info() {}, warn() {}, error() {} };
const rest = createRest({ database: database.authenticator, schemas: ['public'], log });
const sample = new Hono();
sample.all('/rest/v1/*', (c) => rest.handle(c.req.raw, { role: 'authenticated', claims }));
const baseline = createBaseline(database.authenticator);

process.send?.({ sample: await listen(sample), baseline: await listen(baseline) });
process.once('message', async () => {
  await database.close();
  process.exit(0);
});

function listen(app: Hono): Promise<number> {
  return new Promise((resolve) => {
    serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port));
  });
}
