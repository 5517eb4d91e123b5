/** Bugs seen in another backend of this kind, which this one must not have. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appOrigin, followMail, openTestBackend } from '@vitrine/testing/backend';
import type { TestBackend } from '@vitrine/testing/backend';

let world: TestBackend;
beforeAll(async () => {
  world = await openTestBackend();
}, 60_000);
afterAll(() => world.close());

const listRights = () => world.database.sql`
  select c.oid::regclass::text as name, c.relacl::text as rights, a.attname, a.attacl::text as "ofColumn"
  from pg_class c left join pg_attribute a on a.attrelid = c.oid and a.attacl is not null
  where c.relnamespace in ('public'::regnamespace, 'auth'::regnamespace)
  order by c.oid, a.attnum`;

const ask = (path: string, headers: Record<string, string> = {}) =>
  world.backend.fetch(
    new Request(new URL(path, appOrigin), {
      headers: { apikey: world.backend.publishableKey, ...headers },
    }),
  );

test('BF-2 a restart does not restore revoked privileges', async () => {
  const before = await listRights();
  // As after an update, when the bootstrap runs again.
  await world.database.sql`delete from vitrine_backend.bootstrap`;
  const again = await openTestBackend({}, world);
  await again.close();
  expect(await listRights()).toEqual(before);
  expect(before.length).toBeGreaterThan(10);
});

test('BF-3 a table that is protected after the first request is protected', async () => {
  expect((await ask('/rest/v1/profiles?select=id')).status).toBe(200);
  await world.database.sql.unsafe(`
    create table public.late (id int primary key, is_public boolean not null);
    insert into public.late values (1, true), (2, false);
    alter table public.late enable row level security;
    create policy late_read on public.late for select to anon using (is_public);
    grant select on public.late to anon;
    notify pgrst, 'reload schema'`);
  await expect.poll(async () => (await ask('/rest/v1/late')).status).toBe(200);
  expect(await (await ask('/rest/v1/late')).json()).toEqual([{ id: 1, is_public: true }]);
});

test('BF-4 no path reveals the database or its secrets', async () => {
  const { secrets, database } = world;
  const told = [secrets.secretKey, secrets.databasePassword, secrets.rootKey, secrets.signingKey.d];
  for (const path of [
    '/',
    '/_system',
    '/_system/health',
    '/_system/config',
    '/status',
    '/metrics',
    '/admin',
    '/rest/v1',
    '/rest/v1/',
    '/rest/v1/?apikey=x',
    '/rest-admin/v1/ready',
    '/auth/v1/admin/users',
    '/pg/query',
    '/storage/v1/status',
    '/functions/v1/x',
    '/realtime/v1/websocket',
    '/graphql/v1',
    '/.env',
    '/auth/v1/../../_system/config',
  ]) {
    const answer = await ask(path);
    expect(answer.status, path).toBeGreaterThanOrEqual(400);
    const text = await answer.text();
    for (const secret of [...told, database.address.database]) expect(text).not.toContain(secret);
  }
});

test('BF-6 a mailed link leads to the requested page when it is allowed', async () => {
  const { client } = world.openBrowser();
  const emailRedirectTo = 'http://localhost:4000/done?next=%2Fsettings';
  await client.auth.signUp({
    email: 'rhea@example.com',
    password: 'correct horse battery',
    options: { emailRedirectTo, data: { username: 'rhea' } },
  });
  const target = await followMail(world.backend, await world.readMail('rhea@example.com'));
  expect(target.origin + target.pathname).toBe('http://localhost:4000/done');
  expect(target.searchParams.get('next')).toBe('/settings');
  expect(target.searchParams.get('code')).not.toBeNull();
});

test('BF-11 passes metadata of a sign-up to triggers as JSON', async () => {
  const { client } = world.openBrowser();
  await client.auth.signUp({
    email: 'theia@example.com',
    password: 'correct horse battery',
    options: { data: { username: 'theia', deep: { list: [1, null] } } },
  });
  const [row] = await world.database.sql`
    select jsonb_typeof(raw_user_meta_data) as type, raw_user_meta_data #>> '{deep,list,0}' as one, username
    from auth.users u join public.profiles p on p.id = u.id where email = 'theia@example.com'`;
  expect(row).toEqual({ type: 'object', one: '1', username: 'theia' });
});
