import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkHostedProject as look } from '../src/hosted/checks.ts';
import { serveBackend, openTestBackend, type TestBackend } from '@vitrine/testing/backend';

/** A stand-in for a hosted project: a real server, only accessed by its URL and keys. */
let world: TestBackend;
let server: Awaited<ReturnType<typeof serveBackend>>;
beforeAll(async () => {
  world = await openTestBackend();
  server = await serveBackend(world.backend);
});
afterAll(async () => {
  await server.close();
  await world.close();
});

const program = fileURLToPath(new URL('../vitrine.js', import.meta.url));

/** Runs the command, optionally sends SIGINT at a line, and returns its lines and exit code. */
async function checkHosted(o: NodeJS.ProcessEnv = {}, stopAt?: RegExp) {
  const { backend } = world;
  const { user, password, host, port, database } = world.database.address;
  const env = {
    PATH: process.env['PATH'],
    SUPABASE_URL: server.origin,
    SUPABASE_PUBLISHABLE_KEY: backend.publishableKey,
    SUPABASE_SECRET_KEY: backend.secretKey,
    HOSTED_URL: `postgres://${user}:${password}@/${database}?host=${host}&port=${port}`,
    ...o,
  };
  return new Promise<{ lines: string[]; code: unknown }>((resolve) => {
    const child = execFile(
      process.execPath,
      [program, 'check-hosted'],
      { env },
      (error, out, complaint) =>
        resolve({ lines: (out + complaint).trim().split('\n'), code: error?.code ?? 0 }),
    );
    child.stdout?.on('data', (said: string) => {
      if (stopAt?.test(said)) child.kill('SIGINT');
    });
  });
}

test('passes for a migrated project, and leaves nothing behind', async () => {
  const { lines, code } = await checkHosted();
  expect(lines.filter((line) => line.startsWith('failed'))).toEqual([]);
  expect(lines.at(-1)).toBe('22 ok, 0 failed, 0 skipped');
  expect(code).toBe(0);
  expect(await world.database.sql`select from auth.users`).toHaveLength(0);
  expect(await world.database.sql`select from public.projects`).toHaveLength(0);
  expect(await world.database.sql`select from storage.objects`).toHaveLength(0);
});

test('deletes the test users when it is stopped', async () => {
  const { lines, code } = await checkHosted({}, /ok +users can sign in/);
  expect(lines.at(-1)).toMatch(/^Deleting the test users, /);
  expect(lines.length).toBeLessThan(17);
  expect(code).toBe(130);
  expect(await world.database.sql`select from auth.users`).toHaveLength(0);
});

test('reports what it could not check', async () => {
  const wrong = await checkHosted({ SUPABASE_SECRET_KEY: 'sb_secret_of_another' });
  expect(wrong.lines.filter((line) => line.startsWith('failed'))).toHaveLength(2);
  expect(wrong.lines.at(-1)).toBe('4 ok, 2 failed, 16 skipped');
  expect(wrong.code).toBe(1);
  const unset = await checkHosted({ SUPABASE_URL: '' });
  expect([unset.lines[0], unset.code]).toEqual([expect.stringContaining('Set SUPABASE_URL'), 2]);
});

test.each([
  ['of no database', 'failed', 'HOSTED_URL isn’t a valid URL.'],
  ['postgres://ada@127.0.0.1:1/postgres', 'failed', 'connect ECONNREFUSED 127.0.0.1:1'],
  ['', 'skipped', 'set HOSTED_URL to compare them'],
])('with the migrations URL %j, the line starts with %s', async (HOSTED_URL, how, why) => {
  const keys = { SUPABASE_PUBLISHABLE_KEY: 'none', SUPABASE_SECRET_KEY: 'none' };
  const { lines, code } = await checkHosted({ ...keys, HOSTED_URL });
  expect(lines[1]).toBe(`${how.padEnd(7)} all migrations are applied: ${why}`);
  expect(code).toBe(1);
});

test.each(['/rest/v1/rpc/create_project', '/auth/v1/admin/users'])(
  'deletes the test users when the response of %s breaks off',
  async (path) => {
    const { backend, database } = world;
    const cutOff = { 'content-length': '99', connection: 'close' };
    const breaking = await serveBackend({
      ...backend,
      async fetch(request, from) {
        const answer = await backend.fetch(request, from);
        const isBroken = request.method === 'POST' && new URL(request.url).pathname === path;
        return isBroken ? new Response('{', { headers: cutOff }) : answer;
      },
    });
    const keys = { publishableKey: backend.publishableKey, secretKey: backend.secretKey };
    const options = { url: breaking.origin, ...keys, databaseUrl: undefined, migrationsDir: '' };
    const failed: string[] = [];
    for await (const { name, outcome, detail } of look(options))
      if (outcome === 'failed') failed.push(`${name}: ${detail}`);
    expect(failed).toEqual([expect.stringMatching(/^users can sign in.*: no response/)]);
    expect(await database.sql`select from auth.users`).toHaveLength(0);
    await breaking.close();
  },
);

test('reports everything that is open or missing', async () => {
  const open = await openTestBackend({ publicChannels: true, confirmEmail: false }, world);
  const there = await serveBackend(open.backend);
  await world.database.sql.unsafe(`
    delete from supabase_migrations.schema_migrations where version = '20261122090000';
    create policy open on public.projects for select using (true);
    create policy changed on public.projects for update to authenticated using (true);
    grant update (role) on public.profiles to authenticated;
    grant select on public.profiles to authenticated;
    create policy "of others" on storage.objects for insert to authenticated with check (true);
  `);
  const { lines, code } = await checkHosted({ SUPABASE_URL: there.origin });
  const failed = lines.flatMap((line) => /^failed +([^:]+): /.exec(line)?.[1] ?? []);
  expect(failed).toEqual([
    'all migrations are applied',
    'new email addresses must be confirmed',
    'nobody else can see a private project',
    'nobody else can change a project',
    'versions of a private project are for its members',
    'users can’t grant themselves roles',
    'users can’t read the roles of others',
    'users can only upload to their own folder, and pictures are public',
    'assets are plain bytes that only their project’s members can use',
    'posters can only be read by those who see the project',
    'sockets can be opened, and channels need a policy',
  ]);
  expect(code).toBe(1);
  await there.close();
  await open.close();
});
