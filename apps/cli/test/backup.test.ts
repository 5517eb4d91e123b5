import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { loadSecrets, openBackend, type Backend } from '@vitrine/backend';
import { connectDatabase, openPostgres, startPostgres } from '@vitrine/backend/postgres';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createBackup } from '../src/backup/create-backup.ts';
import { restoreBackup } from '../src/backup/restore-backup.ts';
import {
  appOrigin,
  openTestBackend,
  saveAsset,
  signUpConfirmed,
  testAuthSettings,
  type TestBackend,
} from '@vitrine/testing/backend';
import { migrationsDir, openTestDatabase, silentLog } from '@vitrine/testing/database';
import { base64, sha256, type CreateProjectResult } from '@vitrine/testing/schema-calls';

let world: TestBackend;
let token: string;
/** Name of ada's asset. */
let asset: string;
/** Of a project with a published version. */
let slug: string;
/** Deleted at the end. */
let home: string;
/** A new path for a data directory or a backup. */
let place: string;
let places = 0;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'vitrine-backup-'));
  // The user postgres must be able to traverse it.
  await chmod(home, 0o711);
  world = await openTestBackend();
  const ada = await signUpConfirmed(world, 'ada@example.com');
  token = (await ada.client.auth.getSession()).data.session?.access_token ?? '';
  asset = await saveAsset(ada.client, 'bytes of a picture');
  await ada.client.from('profiles').update({ bio: 'writes\n\ttables \\N' }).eq('bio', '');
  slug = await createVersionedProject(ada.client);
  await world.database.sql`insert into storage.buckets (id, name) values ('kept', 'kept')`;
  const { error } = await service(world.backend)
    .storage.from('kept')
    .upload('a/one.txt', 'the text', { contentType: 'text/plain' });
  expect(error).toBeNull();
}, 60_000);
afterAll(async () => {
  await world.close();
  await rm(home, { recursive: true });
});
beforeEach(() => {
  place = join(home, String((places += 1)));
});

/** Creates a project with a version that others see. Returns the slug. */
async function createVersionedProject(client: SupabaseClient): Promise<string> {
  const { data, error } = await client.rpc('create_project', {
    id: randomUUID(),
    title: 'Boids',
    description: '',
    visibility: 'private',
    settings: {},
    files: [{ path: 'index.html', content: 'a\ttab, \\N and ☃\n' }],
    state: base64('state'),
    state_sha256: sha256('state'),
  });
  expect(error).toBeNull();
  const { id, slug } = data as CreateProjectResult;
  for (const [name, args] of [
    ['create_version', { project: id, message: 'First' }],
    ['publish_version', { project: id, number: 1 }],
  ] as const)
    expect((await client.rpc(name, args)).error).toBeNull();
  return slug;
}

const source = () => ({
  database: world.database.address,
  storageDir: world.storageDir,
  secrets: world.secrets,
});

const service = (backend: Backend) =>
  createClient(appOrigin, backend.secretKey, {
    auth: { persistSession: false },
    global: { fetch: (input, init) => backend.fetch(new Request(input, init)) },
  });

const target = () => ({ dataDir: `${place}-data`, database: undefined, migrationsDir });

/** Opens a backend on what was restored into `dataDir`. */
async function open(dataDir: string): Promise<{ backend: Backend; close(): Promise<void> }> {
  const postgres = await startPostgres({ dataDir, log: silentLog });
  const backend = await openBackend({
    database: postgres.database,
    migrationsDir,
    publicOrigin: appOrigin,
    allowedRedirects: [],
    corsOrigins: [],
    secrets: await loadSecrets(dataDir),
    storageDir: join(dataDir, 'storage'),
    mail: { outboxDir: join(dataDir, 'outbox') },
    confirmEmail: true,
    authSettings: testAuthSettings,
    publicChannels: false,
    log: silentLog,
  });
  return {
    backend,
    async close() {
      await backend.close();
      await postgres.close();
    },
  };
}

test('restores accounts, sessions, rows and files', async () => {
  await createBackup(source(), place, silentLog);
  await restoreBackup(place, target(), silentLog);
  const { backend, close } = await open(target().dataDir);
  const send = (input: RequestInfo | URL, init?: RequestInit) =>
    backend.fetch(new Request(input, init), { address: '192.0.2.7' });
  const person = createClient(appOrigin, backend.publishableKey, {
    auth: { persistSession: false },
    global: { fetch: send },
  });
  expect((await person.auth.getUser(token)).data.user?.email).toBe('ada@example.com');
  const signedIn = await person.auth.signInWithPassword({
    email: 'ada@example.com',
    password: 'correct horse battery',
  });
  expect(signedIn.error).toBeNull();
  const { data } = await person.from('profiles').select('bio');
  expect(data).toEqual([{ bio: 'writes\n\ttables \\N' }]);
  const { data: file } = await service(backend).storage.from('kept').download('a/one.txt');
  expect(await file?.text()).toBe('the text');
  const bytes = await person.storage.from('assets').download(asset);
  expect(await bytes.data?.text()).toBe('bytes of a picture');
  expect((await person.rpc('read_version', { slug, number: 1 })).data).toMatchObject({
    message: 'First',
    files: [{ path: 'index.html', content: 'a\ttab, \\N and ☃\n' }],
    project: { published_version: 1 },
  });
  // Sequences continue after the restored values.
  const again = await person.auth.refreshSession(signedIn.data.session ?? undefined);
  expect(again.error).toBeNull();
  await close();
}, 120_000);

test('restores into an external database', async () => {
  const other = await openTestDatabase({ migrated: false });
  await createBackup(source(), place, silentLog);
  await restoreBackup(place, { ...target(), database: other.address }, silentLog);
  expect(await other.sql`select email from auth.users`).toEqual([{ email: 'ada@example.com' }]);
  expect(await other.sql`select version from supabase_migrations.schema_migrations`).toEqual(
    await world.database.sql`select version from supabase_migrations.schema_migrations`,
  );
  await other.close();
});

test('backs up a consistent snapshot while users write', async () => {
  const { sql } = world.database;
  // The first and the last table that is read.
  await sql`create schema a`;
  await sql`create schema z`;
  await sql`create table a.pairs as select 0 as number from generate_series(1, 50000)`;
  await sql`create table z.pairs as select * from a.pairs`;
  const end = new AbortController();
  const writer = (async () => {
    while (!end.signal.aborted) {
      await sql.begin(async (tx) => {
        await tx`insert into a.pairs values (1)`;
        await tx`insert into z.pairs values (1)`;
      });
    }
  })();
  const { tables } = await createBackup(source(), place, silentLog);
  end.abort();
  await writer;
  const [first, last] = tables.filter(({ name }) => name === 'pairs');
  expect(first?.rows).toBe(last?.rows);
  await sql`drop schema a, z cascade`;
});

test('creates a private directory that gets its name when it is complete', async () => {
  await createBackup(source(), place, silentLog);
  for (const name of await readdir(place, { recursive: true })) {
    expect((await stat(join(place, name))).mode & 0o077, name).toBe(0);
  }
  await expect(createBackup(source(), place, silentLog)).rejects.toThrow('already exists');
  const nowhere = { ...source(), database: { ...world.database.address, database: 'none' } };
  await expect(createBackup(nowhere, `${place}-none`, silentLog)).rejects.toThrow();
  expect(await readdir(home)).not.toContain(`${places}-none`);
});

test('does not overwrite existing data, and rejects a damaged backup', async () => {
  await createBackup(source(), place, silentLog);
  await writeFile(join(home, 'secrets.json'), '{}');
  await expect(restoreBackup(place, { ...target(), dataDir: home }, silentLog)).rejects.toThrow(
    'isn’t empty: it contains secrets.json',
  );
  await rm(join(home, 'secrets.json'));
  const inhabited = { ...target(), database: world.database.address };
  await expect(restoreBackup(place, inhabited, silentLog)).rejects.toThrow('already has accounts');
  // Nothing starts with an unfinished restore.
  await expect(loadSecrets(inhabited.dataDir)).rejects.toThrow('didn’t finish');
  await writeFile(join(place, 'rows/1.copy'), 'damage', { flag: 'a' });
  await expect(
    restoreBackup(place, { ...target(), dataDir: `${place}-other` }, silentLog),
  ).rejects.toThrow('is corrupted');
});

test('uses the running PostgreSQL server for a backup', async () => {
  const dataDir = place;
  const running = await startPostgres({ dataDir, log: silentLog });
  const joined = await openPostgres({ dataDir, log: silentLog });
  const sql = connectDatabase(joined.database, { max: 1 });
  expect(await sql`select current_user as name`).toEqual([{ name: 'postgres' }]);
  await sql.end();
  await joined.close();
  const still = connectDatabase(running.database, { max: 1 });
  expect(await still`select 1 as one`).toEqual([{ one: 1 }]);
  await still.end();
  await running.close();
}, 60_000);
