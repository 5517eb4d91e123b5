import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBackend, readAuthSettings } from '../../src/index.ts';
import { connectDatabase } from '../../src/postgres/index.ts';
import { splitStatements } from '../../src/postgres/sql-statements.ts';
import { createSecrets } from '../../src/secrets.ts';
import { serveBackend } from '@vitrine/testing/backend';
import { openCluster } from '@vitrine/testing/cluster';
import { silentLog } from '@vitrine/testing/database';
import type { Fixture, Suite } from './suites.ts';

export interface SuiteServer {
  origin: string;
  publishableKey: string;
  secretKey: string;
  close(): Promise<void>;
}

/** Serves the backend on its own port, with a new PostgreSQL and the suite's schema and rows. */
export async function openSuiteServer(checkout: string, suite: Suite): Promise<SuiteServer> {
  const cluster = await openCluster();
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-suite-'));
  const migrationsDir = join(folder, 'migrations');
  const from = join(checkout, suite.folder);
  await mkdir(migrationsDir);
  if (suite.fixture) await copyMigrations(from, suite.fixture, migrationsDir);
  const secrets = await createSecrets();
  const authSettings = await readAuthSettings(join(from, suite.config), {
    SUPABASE_AUTH_EXTERNAL_GOOGLE_SECRET: 'of nobody',
  });
  const backend = await openBackend({
    database: cluster.database,
    migrationsDir,
    publicOrigin: 'http://127.0.0.1:54321',
    allowedRedirects: [],
    corsOrigins: [],
    secrets,
    storageDir: join(folder, 'storage'),
    mail: { outboxDir: join(folder, 'mail') },
    confirmEmail: false,
    authSettings,
    publicChannels: true,
    log: silentLog,
  });
  if (suite.fixture) {
    const sql = connectDatabase(cluster.database, { max: 1 });
    await sql.unsafe(await readKept(join(from, suite.fixture.seed), suite.fixture));
    await sql.end();
  }
  const { origin, close } = await serveBackend(backend);
  return {
    origin,
    publishableKey: backend.publishableKey,
    secretKey: backend.secretKey,
    async close() {
      await close();
      await backend.close();
      await cluster.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function copyMigrations(from: string, fixture: Fixture, to: string): Promise<void> {
  const { migrations, settings } = fixture;
  if (migrations !== undefined) {
    const source = join(from, migrations);
    for (const file of await readdir(source)) {
      await writeFile(join(to, file), await readKept(join(source, file), fixture));
    }
  }
  if (settings !== undefined) await writeFile(join(to, '99999999999999_settings.sql'), settings);
}

async function readKept(file: string, { leftOut }: Fixture): Promise<string> {
  const statements = splitStatements(await readFile(file, 'utf8'));
  return statements
    .filter(({ text }) => !leftOut?.test(text))
    .map(({ text }) => `${text};\n`)
    .join('');
}
