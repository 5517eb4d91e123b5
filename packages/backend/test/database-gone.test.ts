import { mkdtemp, rm, chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openBackend } from '../src/index.ts';
import { connectDatabase, startPostgres } from '../src/postgres/index.ts';
import { createSecrets } from '../src/secrets.ts';
import { testAuthSettings } from '@vitrine/testing/backend';
import { migrationsDir, silentLog } from '@vitrine/testing/database';

test('responds with 503 while the database is unavailable, and recovers', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'vitrine-gone-'));
  await chmod(dataDir, 0o711);
  let postgres = await startPostgres({ dataDir, log: silentLog });
  const sql = connectDatabase(postgres.database, { max: 1 });
  await sql`create table public.notes (id int)`;
  await sql`grant select on public.notes to public`;
  await sql.end();
  const backend = await openBackend({
    database: postgres.database,
    migrationsDir,
    publicOrigin: 'https://app.test',
    allowedRedirects: [],
    corsOrigins: [],
    secrets: await createSecrets(),
    storageDir: join(dataDir, 'storage'),
    mail: { outboxDir: join(dataDir, 'outbox') },
    confirmEmail: false,
    authSettings: testAuthSettings,
    publicChannels: false,
    log: silentLog,
  });
  const send = (path: string, init: RequestInit = {}) =>
    backend.fetch(
      new Request(`https://app.test${path}`, {
        ...init,
        headers: { apikey: backend.publishableKey },
      }),
    );
  const signIn = () =>
    send('/auth/v1/token?grant_type=password', {
      method: 'POST',
      body: JSON.stringify({ email: 'nobody@example.com', password: 'nothing at all' }),
    });
  const read = () => send('/rest/v1/notes');
  try {
    expect((await signIn()).status).toBe(400);
    expect((await read()).status).toBe(200);
    for (const end of ['in order', 'by a crash'] as const) {
      if (end === 'by a crash') process.kill(postgres.pid, 'SIGKILL');
      await postgres.close();
      for (const answer of [await signIn(), await read()]) {
        expect(answer.status).toBe(503);
        expect(((await answer.json()) as { code: string }).code).toBe('backend_unreachable');
      }
      postgres = await startPostgres({ dataDir, log: silentLog });
      await vi.waitUntil(async () => (await signIn()).status === 400, { timeout: 5000 });
      await vi.waitUntil(async () => (await read()).status === 200, { timeout: 5000 });
    }
  } finally {
    await backend.close();
    await postgres.close();
    await rm(dataDir, { recursive: true });
  }
}, 30_000);
