import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { connectDatabase, startPostgres, type PostgresServer } from '../src/postgres/index.ts';
import { silentLog } from '@vitrine/testing/database';

let dataDir: string;
let postgres: PostgresServer;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'vitrine-restart-'));
  chmodSync(dataDir, 0o711);
  postgres = await startPostgres({ dataDir, log: silentLog });
});
afterAll(async () => {
  await postgres.close();
  rmSync(dataDir, { recursive: true, force: true });
});

test('restarts a killed PostgreSQL with all acknowledged data', async () => {
  const sql = connectDatabase(postgres.database, { max: 1 });
  await sql`create table kept (n int)`;
  await sql`insert into kept values (1)`;
  const killed = postgres.pid;
  process.kill(killed, 'SIGKILL');
  await vi.waitFor(
    async () => {
      expect(postgres.pid).not.toBe(killed);
      expect(await sql`select n from kept`).toEqual([{ n: 1 }]);
    },
    { timeout: 20_000, interval: 50 },
  );
  await sql.end();
});
