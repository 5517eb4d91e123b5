import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import type { SupabaseClient } from '@supabase/supabase-js';
import { TOTP } from 'otpauth';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findDeno } from '../src/functions/deno.ts';
import type { BackendOptions } from '../src/index.ts';
import { openTestBackend, signUpConfirmed, type TestBackend } from '@vitrine/testing/backend';
import { readStoredZip } from './stored-zip.ts';

const root = resolve(import.meta.dirname, '../../..');
const password = 'correct horse battery';
const dayMs = 86_400_000;

/** A backend with the product's own functions, which call it on its port. */
interface Place extends TestBackend {
  /** Calls delete-account with the secret key, as the operator does. */
  readonly asOperator: (path: string, body?: unknown) => Promise<Response>;
}

/** Log of the functions. */
const logged: string[] = [];
const note = (line: string) => void logged.push(line);

/** Set by a test: runs before a function's request is handled. */
let onRequest: ((path: string) => Promise<unknown>) | undefined;

const closers: (() => Promise<unknown>)[] = [];
let first: TestBackend | undefined;

async function openPlace(
  deno: string | undefined,
  options: Partial<BackendOptions> = {},
): Promise<Place> {
  let answer = async (_request: Request) => new Response(null, { status: 503 });
  const server = createServer(getRequestListener((request) => answer(request)));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const cacheDir = await mkdtemp(join(tmpdir(), 'vitrine-leaving-'));
  const folder = join(root, 'supabase');
  const functions = { folder, denoPath: deno, cacheDir, url: `http://127.0.0.1:${port}` };
  const place = await openTestBackend(
    { functions, log: { info: note, warn: note, error: note }, ...options },
    first,
  );
  answer = async (request) => {
    await onRequest?.(new URL(request.url).pathname);
    return place.backend.fetch(request);
  };
  closers.push(async () => {
    await place.close();
    server.closeAllConnections();
    server.close();
    await rm(cacheDir, { recursive: true });
  });
  first ??= place;
  const { secretKey } = place.backend;
  const headers = { apikey: secretKey, 'content-type': 'application/json' };
  return {
    ...place,
    asOperator: (path, body = {}) => {
      const authorization = `Bearer ${secretKey}`;
      const init = { method: 'POST', headers: { ...headers, authorization } };
      return place.backend.fetch(
        new Request(`http://backend${path}`, { ...init, body: JSON.stringify(body) }),
      );
    },
  };
}

/** The first one owns the database. */
afterAll(async () => {
  for (const close of closers.toReversed()) await close();
});

/** Calls a function; returns its response or error. */
async function call(client: SupabaseClient, name: string): Promise<unknown> {
  const { data, error, response } = await client.functions.invoke(name, { method: 'POST' });
  return error ? await response?.json() : data;
}

async function idOf(client: SupabaseClient): Promise<string> {
  const { data } = await client.auth.getUser();
  if (!data.user) throw new Error('nobody is signed in');
  return data.user.id;
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Uploads an asset. */
async function addAsset(client: SupabaseClient, bytes: Buffer): Promise<void> {
  const name = `${await idOf(client)}/${sha256(bytes)}`;
  const options = { contentType: 'application/octet-stream' };
  const { error } = await client.storage.from('assets').upload(name, bytes, options);
  if (error) throw error;
}

/** Saves a project, with an asset at `logo.png` if there is one, and returns its id. */
async function makeProject(
  client: SupabaseClient,
  title: string,
  { asset, ...more }: { asset?: Buffer; visibility?: string; forked_from?: string } = {},
): Promise<string> {
  const state = Buffer.from(title);
  const { data, error } = await client.rpc('create_project', {
    id: randomUUID(),
    title,
    description: 'for the export',
    visibility: 'private',
    settings: {},
    files: [
      { path: 'index.html', content: `<h1>${title}</h1>` },
      { path: 'src/ü.js', content: 'let a = "\u2028";\r\n' },
      ...(asset
        ? [
            {
              path: 'logo.png',
              hash: sha256(asset),
              size: asset.length,
              media_type: 'image/png',
            },
          ]
        : []),
    ],
    state: state.toString('base64'),
    state_sha256: sha256(state),
    ...more,
  });
  if (error) throw new Error(error.message);
  return data.id;
}

/** The id of the user's only project. */
async function findProjectId(client: SupabaseClient): Promise<string> {
  const { data } = await client
    .from('projects')
    .select('id')
    .eq('owner_id', await idOf(client))
    .single();
  if (!data) throw new Error('there is no project');
  return data.id;
}

async function addPicture(client: SupabaseClient, folder = ''): Promise<Buffer> {
  const id = await idOf(client);
  const picture = await sharp({
    create: { width: 8, height: 8, channels: 3, background: { r: 200, g: 10, b: 10 } },
  })
    .png()
    .toBuffer();
  const path = join(id, folder, 'red.png');
  const added = await client.storage.from('avatars').upload(path, picture, {
    contentType: 'image/png',
  });
  if (added.error) throw added.error;
  if (folder !== '') return picture;
  await client.from('profiles').update({ avatar_path: path, bio: 'leaves soon' }).eq('id', id);
  return picture;
}

async function addPoster(client: SupabaseClient, project: string): Promise<void> {
  const poster = new Blob(['RIFF'], { type: 'image/webp' });
  const added = await client.storage
    .from('posters')
    .upload(`${project}/0`, poster, { contentType: poster.type, upsert: true });
  if (added.error) throw added.error;
}

/** Finds the tables with a row that contains one of these words. */
async function findTraces(sql: TestBackend['database']['sql'], words: string[]): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname in ('public', 'auth', 'storage', 'realtime') order by 1`;
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await sql.unsafe<{ is: boolean }[]>(
        `select exists (select from ${name} t where t::text like any ($1)) as is`,
        [words.map((word) => `%${word}%`)],
      );
      return row?.is === true ? [name] : [];
    }),
  );
  return found.flat();
}

describe.each([
  ['Deno', findDeno(root)],
  ['Node', undefined],
])('on %s', (engine, deno) => {
  let place: Place;
  beforeAll(async () => {
    if (engine === 'Deno' && deno === undefined) throw new Error('npm run functions -- install');
    place = await openPlace(deno);
  });
  const emailOf = (name: string) => `${name}-${engine.toLowerCase()}@example.com`;

  test('export-data returns all data of the user, byte for byte, and of nobody else', async () => {
    const { client } = await signUpConfirmed(place, emailOf('eve'));
    const other = await signUpConfirmed(place, emailOf('olaf'));
    await makeProject(other.client, 'Not hers');
    const asset = Buffer.from([0, 255, 13, 10]);
    await addAsset(client, asset);
    await addAsset(client, Buffer.from('in no project'));
    await makeProject(client, 'Boids: a flock?', { asset });
    await makeProject(client, '…');
    const theirs = await findProjectId(other.client);
    const { data: invitation } = await other.client.rpc('invite_to_project', {
      project: theirs,
      role: 'viewer',
      username: emailOf('eve').replace(/@.*/, ''),
    });
    await client.rpc('accept_invitation', { invitation: invitation.id });
    await other.client.rpc('invite_to_project', {
      project: theirs,
      role: 'viewer',
      email: 'x@y.z',
    });
    await client.from('projects').update({ trashed_at: new Date().toISOString() }).eq('title', '…');
    await client.from('preferences').upsert({ settings: { theme: 'dark' } });
    const picture = await addPicture(client);
    await addPicture(client, 'in a folder/of theirs');
    const own = await client.from('projects').select('id').eq('title', 'Boids: a flock?').single();
    const projects = [own.data?.id];
    await client.rpc('tag_projects', { projects, added: ['canvas', 'art'] });
    await client.rpc('create_collection', { title: 'Favorites', projects });
    await client
      .from('collection_items')
      .update({ note: 'Start here.' })
      .in('project_id', projects);

    const archive = await call(client, 'export-data');
    if (!(archive instanceof Blob)) throw new Error(JSON.stringify(archive));
    const files = readStoredZip(Buffer.from(await archive.arrayBuffer()));
    const names = [...files.keys()].map((name) => name.replace(/-[a-z0-9]{16}\//, '-SLUG/'));
    expect(names.toSorted()).toEqual([
      'account.json',
      'collections.json',
      'invitations.json',
      'memberships.json',
      'pictures/in a folder/of theirs/red.png',
      'pictures/red.png',
      'preferences.json',
      'profile.json',
      'projects/boids-a-flock-SLUG/files/index.html',
      'projects/boids-a-flock-SLUG/files/logo.png',
      'projects/boids-a-flock-SLUG/files/src/ü.js',
      'projects/boids-a-flock-SLUG/project.json',
      'projects/project-SLUG/files/index.html',
      'projects/project-SLUG/files/src/ü.js',
      'projects/project-SLUG/project.json',
      'sessions.json',
      `uploads/${sha256(Buffer.from('in no project'))}`,
    ]);
    const textOf = (ending: string) =>
      [...files].find(([name]) => name.endsWith(ending))?.[1].toString() ?? '';
    expect(files.get('pictures/red.png')).toEqual(picture);
    expect([...files].find(([name]) => name.endsWith('/logo.png'))?.[1]).toEqual(asset);
    expect(textOf('/ü.js')).toBe('let a = "\u2028";\r\n');
    expect(JSON.parse(textOf('account.json'))).toMatchObject({ email: emailOf('eve') });
    expect(JSON.parse(textOf('profile.json'))).toMatchObject({ bio: 'leaves soon' });
    expect(JSON.parse(textOf('preferences.json'))).toMatchObject({ settings: { theme: 'dark' } });
    const owner = { username: emailOf('olaf').replace(/@.*/, '') };
    expect(JSON.parse(textOf('memberships.json'))).toMatchObject([
      { role: 'viewer', project: { title: 'Not hers', owner } },
    ]);
    expect(JSON.parse(textOf('invitations.json'))).toMatchObject([
      { id: invitation.id, kind: 'user', role: 'viewer' },
    ]);
    expect(JSON.parse(textOf('collections.json'))).toMatchObject([
      { title: 'Favorites', projects: [{ project_id: own.data?.id, note: 'Start here.' }] },
    ]);
    const [, project] =
      [...files].find(([name]) => /boids-a-flock-.*project\.json/.test(name)) ?? [];
    const { tags } = JSON.parse(project?.toString() ?? '{}');
    expect(tags.toSorted()).toEqual(['art', 'canvas']);
  });

  test('export-data has each version, with the files that it changed', async () => {
    const { client } = await signUpConfirmed(place, emailOf('vera'));
    const project = await makeProject(client, 'Kept');
    const keep = async (message: string) => {
      const { error } = await client.rpc('create_version', { project, message });
      expect(error).toBeNull();
    };
    await keep('First');
    await place.database.sql`update public.project_files set content = 'new'
      where project_id = ${project} and path = 'index.html'`;
    await place.database.sql`delete from public.project_files
      where project_id = ${project} and path = 'src/ü.js'`;
    await keep('Second');
    const archive = await call(client, 'export-data');
    if (!(archive instanceof Blob)) throw new Error(JSON.stringify(archive));
    const files = readStoredZip(Buffer.from(await archive.arrayBuffer()));
    const versions = [...files].flatMap(([name, content]) => {
      const [, path] = /\/versions\/(.*)/.exec(name) ?? [];
      return path === undefined ? [] : [[path, content.toString()] as const];
    });
    const texts = versions.filter(([path]) => !path.endsWith('version.json'));
    expect(Object.fromEntries(texts)).toEqual({
      '1/files/index.html': '<h1>Kept</h1>',
      '1/files/src/ü.js': 'let a = "\u2028";\r\n',
      '2/files/index.html': 'new',
    });
    const details = JSON.parse(versions.find(([path]) => path === '2/version.json')?.[1] ?? '{}');
    expect(details).toMatchObject({ number: 2, message: 'Second', removed: ['src/ü.js'] });
  });

  test('delete-account records the request, sends a mail and ends all sessions; signing in is possible', async () => {
    const email = emailOf('ida');
    const { client } = await signUpConfirmed(place, email);
    const elsewhere = place.openBrowser();
    await elsewhere.client.auth.signInWithPassword({ email, password });
    const before = await place.readMail(email);

    const answer = await call(client, 'delete-account');
    const dueAt = new Date((answer as { due_at: string }).due_at).getTime();
    expect(Math.abs(dueAt - Date.now() - 14 * dayMs)).toBeLessThan(60_000);
    const mail = await place.readMail(email, { after: before });
    expect(mail.subject).toBe('Your account will be deleted');
    expect(mail.text).toContain('https://app.test/auth/sign-in');
    for (const left of [client, elsewhere.client]) {
      expect((await left.auth.refreshSession()).error?.code).toBe('refresh_token_not_found');
    }

    const back = place.openBrowser().client;
    expect((await back.auth.signInWithPassword({ email, password })).error).toBeNull();
    const listed = async () => (await back.from('deletions').select('person')).data?.length;
    expect(await listed()).toBe(1);
    await back
      .from('deletions')
      .delete()
      .eq('person', await idOf(back));
    expect(await listed()).toBe(0);
    expect(await (await place.asOperator('/functions/v1/delete-account')).json()).toEqual({
      removed: 0,
      failed: 0,
    });
  });

  test('DB-29: a due account cannot be kept, and leaves no trace in any table or bucket', async () => {
    const { sql } = place.database;
    const email = emailOf('max');
    const { client } = await signUpConfirmed(place, email);
    const other = await signUpConfirmed(place, emailOf('uma'));
    const [id, otherId] = [await idOf(client), await idOf(other.client)];
    const asset = Buffer.from('asset');
    for (const one of [client, other.client]) {
      await addAsset(one, asset);
      await addAsset(one, Buffer.from('in no project'));
      const project = await makeProject(one, 'Mine', { asset });
      await one.rpc('create_version', { project });
      await addPoster(one, project);
      await addPicture(one);
    }
    // A version of somebody else's project, which stays.
    await sql`insert into public.project_members (project_id, user_id, role)
      select id, ${id}, 'editor' from public.projects where owner_id = ${otherId}`;
    const [{ id: shared } = { id: '' }] = await sql<{ id: string }[]>`
      select id from public.projects where owner_id = ${otherId}`;
    expect((await client.rpc('create_version', { project: shared })).error).toBeNull();
    await addPoster(client, shared);
    await addPicture(client, 'deeper');
    // Has been a member of another's project, and is invited again by address.
    const project = await findProjectId(other.client);
    const terms = { project, role: 'editor' };
    const { data: link } = await other.client.rpc('invite_to_project', terms);
    await client.rpc('accept_invitation', { invitation: link.token });
    await other.client.rpc('remove_member', { project, member: id });
    await other.client.rpc('invite_to_project', { ...terms, email });
    await call(client, 'delete-account');
    const countFiles = async () =>
      (
        await readdir(join(place.storageDir, 'whole'), { recursive: true, withFileTypes: true })
      ).filter((entry) => entry.isFile()).length;
    const filesBefore = await countFiles();
    await sql`update public.deletions set due_at = now() - interval '1 second' where person = ${id}`;

    const back = place.openBrowser().client;
    await back.auth.signInWithPassword({ email, password });
    await back.from('deletions').delete().eq('person', id);
    const answer = await place.asOperator('/functions/v1/delete-account');
    expect(await answer.json()).toEqual({ removed: 1, failed: 0 });

    const again = await place.openBrowser().client.auth.signInWithPassword({ email, password });
    expect(again.error?.code).toBe('invalid_credentials');
    expect(await findTraces(sql, [id, email])).toEqual([]);
    expect(await findTraces(sql, [otherId])).toContain('public.projects');
    expect(
      await sql`select number, author_id from public.project_versions
        where project_id = ${shared} order by number`,
    ).toEqual([
      { number: 1, author_id: otherId },
      { number: 2, author_id: null },
    ]);
    expect(await countFiles()).toBe(filesBefore - 6);
  });

  test('a fork keeps the assets of a deleted account', async () => {
    const { sql } = place.database;
    const { client } = await signUpConfirmed(place, emailOf('ned'));
    const other = await signUpConfirmed(place, emailOf('oda'));
    const id = await idOf(client);
    const asset = Buffer.from('asset of ned');
    await addAsset(client, asset);
    const original = await makeProject(client, 'Original', { asset, visibility: 'public' });
    await makeProject(other.client, 'Fork', { asset, forked_from: original });
    await call(client, 'delete-account');
    await sql`update public.deletions set due_at = now() - interval '1 second' where person = ${id}`;
    const answer = await place.asOperator('/functions/v1/delete-account');
    expect(await answer.json()).toEqual({ removed: 1, failed: 0 });
    const bytes = await other.client.storage.from('assets').download(`${id}/${sha256(asset)}`);
    expect(await bytes.data?.text()).toBe('asset of ned');
  });

  test('AS-05: collect-assets deletes what nothing has referred to for a week, for the operator', async () => {
    const { sql } = place.database;
    const { client } = await signUpConfirmed(place, emailOf('pat'));
    const id = await idOf(client);
    const [kept, lost] = [Buffer.from('kept'), Buffer.from('lost')];
    for (const asset of [kept, lost]) await addAsset(client, asset);
    await makeProject(client, 'Kept', { asset: kept });
    const collect = async () =>
      (await place.asOperator('/functions/v1/collect-assets')).json() as Promise<unknown>;
    expect(await collect()).toEqual({ deleted: 0 });
    await sql`update private.unreferenced_assets u set since = now() - interval '8 days'
      from storage.objects o where o.id = u.object_id and starts_with(o.name, ${id})`;
    expect(await call(client, 'collect-assets')).toEqual({ code: 'not_allowed' });
    expect(await collect()).toEqual({ deleted: 1 });
    const read = async (bytes: Buffer) =>
      (await client.storage.from('assets').download(`${id}/${sha256(bytes)}`)).data?.text();
    expect(await read(kept)).toBe('kept');
    expect(await read(lost)).toBeUndefined();
  });

  test('an export that fails is aborted and logged', async () => {
    const { client } = await signUpConfirmed(place, emailOf('gus'));
    await makeProject(client, 'Lost');
    const { sql } = place.database;
    await sql`alter function public.read_project rename to read_project_no_more`;
    logged.length = 0;
    const { error } = await client.functions.invoke('export-data', { method: 'POST' });
    expect(error).toMatchObject({ message: 'aborted' });
    await sql`alter function public.read_project_no_more rename to read_project`;
    // The function logs from another process, asynchronously.
    await vi.waitFor(() => {
      expect(logged).toContainEqual(expect.stringContaining('read_project: 404'));
    });
  });

  test('PT-02.13: an export whose session ends is aborted, and does not look complete', async () => {
    const { client } = await signUpConfirmed(place, emailOf('pia'));
    await makeProject(client, 'Half of it');
    const { sql } = place.database;
    const id = await idOf(client);
    onRequest = async (path) => {
      if (path.endsWith('/read_project'))
        await sql`delete from auth.sessions where user_id = ${id}`;
    };
    const { error } = await client.functions.invoke('export-data', { method: 'POST' });
    onRequest = undefined;
    expect(error).toMatchObject({ message: 'aborted' });
  });

  test('neither an old session nor a visitor can delete an account', async () => {
    const email = emailOf('lea');
    const { client } = await signUpConfirmed(place, email);
    const id = await idOf(client);
    await place.database
      .sql`update auth.mfa_amr_claims set updated_at = now() - interval '11 minutes'
      where session_id in (select id from auth.sessions where user_id = ${id})`;
    await client.auth.refreshSession();
    expect(await call(client, 'delete-account')).toEqual({ code: 'proof_needed' });
    const visitor = place.openBrowser().client;
    expect(await call(visitor, 'delete-account')).toEqual({ code: 'session_expired' });
    const [noted] = await place.database
      .sql`select count(*)::int from public.deletions where person = ${id}`;
    expect(noted).toEqual({ count: 0 });
    await client.auth.signInWithPassword({ email, password });
    expect(await call(client, 'delete-account')).toHaveProperty('due_at');
  });
});

describe('on either', () => {
  let place: Place;
  beforeAll(async () => {
    place = await openPlace(undefined);
  });

  test('with MFA requires a code, not the password', async () => {
    const email = 'tom@example.com';
    const { client } = await signUpConfirmed(place, email);
    const { data } = await client.auth.mfa.enroll({ factorType: 'totp' });
    if (!data || data.type !== 'totp') throw new Error('no factor');
    const code = () => new TOTP({ secret: data.totp.secret }).generate();
    await client.auth.mfa.challengeAndVerify({ factorId: data.id, code: code() });
    const { sql } = place.database;
    await sql`update auth.mfa_amr_claims set updated_at = now() - interval '11 minutes'
      where session_id in (select id from auth.sessions where user_id = ${await idOf(client)})`;
    await client.auth.refreshSession();
    expect(await call(client, 'delete-account')).toEqual({ code: 'proof_needed' });
    // As if the half minute of the first code were over.
    await sql`update auth.mfa_factors set last_challenged_at = null`;
    const next = new TOTP({ secret: data.totp.secret }).generate({
      timestamp: Date.now() + 30_000,
    });
    const proved = await client.auth.mfa.challengeAndVerify({ factorId: data.id, code: next });
    expect(proved.error).toBeNull();
    expect(await call(client, 'delete-account')).toHaveProperty('due_at');
  });

  test('PT-06 with only the password, an account with MFA is neither exported nor deleted', async () => {
    const email = 'uwe@example.com';
    const { client } = await signUpConfirmed(place, email);
    const { data } = await client.auth.mfa.enroll({ factorType: 'totp' });
    if (!data || data.type !== 'totp') throw new Error('no factor');
    const { data: before } = await client.auth.getSession();
    const code = new TOTP({ secret: data.totp.secret }).generate();
    await client.auth.mfa.challengeAndVerify({ factorId: data.id, code });
    const thief = place.openBrowser();
    const { data: signedIn } = await thief.client.auth.signInWithPassword({ email, password });
    // Also a token from before the code, whose session has completed MFA since.
    for (const session of [signedIn.session, before.session]) {
      for (const name of ['export-data', 'delete-account']) {
        const answer = await thief.request(`/functions/v1/${name}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${session?.access_token}` },
        });
        expect([answer.status, await answer.json()]).toEqual([
          403,
          { code: 'second_factor_needed' },
        ]);
      }
    }
    expect(await call(client, 'export-data')).toBeInstanceOf(Blob);
  });

  test('an account without an email is deleted without a mail', async () => {
    const { client } = place.openBrowser();
    await client.auth.signInAnonymously();
    expect(await call(client, 'delete-account')).toHaveProperty('due_at');
  });

  test('accounts that cannot be deleted do not block others', async () => {
    const { sql } = place.database;
    const { client } = await signUpConfirmed(place, 'zoe@example.com');
    const last = await idOf(client);
    await sql`
      insert into auth.users (id, raw_user_meta_data)
      select ('00000000-0000-0000-0000-' || lpad(n::text, 12, '0'))::uuid,
        jsonb_build_object('username', 'kept' || n)
      from generate_series(1, 21) n`;
    await sql`
      create table public.held as select id from auth.users
      where raw_user_meta_data ->> 'username' like 'kept%'`;
    await sql`alter table public.held add foreign key (id) references auth.users`;
    await sql`
      insert into public.deletions (person, due_at) select id, now() from public.held
      union all select ${last}::uuid, now()`;
    const answer = await place.asOperator('/functions/v1/delete-account');
    expect(await answer.json()).toEqual({ removed: 1, failed: 21 });
    expect(await findTraces(sql, [last])).toEqual([]);
    await sql`drop table public.held`;
    await sql`delete from auth.users where raw_user_meta_data ->> 'username' like 'kept%'`;
  });

  test('records nothing when the mail cannot be sent', async () => {
    const mute = await openPlace(undefined, {
      mail: { smtpUrl: 'smtp://127.0.0.1:9', from: 'a@example.com' },
      confirmEmail: false,
    });
    const { client } = mute.openBrowser();
    const signedUp = await client.auth.signUp({
      email: 'ned@example.com',
      password,
      options: { data: { username: 'ned' } },
    });
    expect(signedUp.error).toBeNull();
    expect(await call(client, 'delete-account')).toEqual({ code: 'mail_not_sent' });
    expect((await client.from('deletions').select()).data).toEqual([]);
    expect((await client.auth.refreshSession()).error).toBeNull();
  });

  test.each([
    [{ to: 'a@example.com', subject: 'One\r\nBcc: b@example.com', text: 'x' }, 422],
    [{ to: 'a@example.com, b@example.com', subject: 'One', text: 'x' }, 422],
    [{ to: 'a@example.com', subject: 'One', text: 'x' }, 200],
  ])('AU-19: responds to a function’s mail %j with %i', async (mail, status) => {
    expect((await place.asOperator('/mail/v1/messages', mail)).status).toBe(status);
  });

  test('rejects a mail that is too large', async () => {
    const mail = { to: 'a@example.com', subject: 'One', text: 'x'.repeat(1024 * 1024) };
    const answer = await place.asOperator('/mail/v1/messages', mail);
    const code = { code: 'request_too_large' };
    expect([answer.status, await answer.json()]).toMatchObject([413, code]);
  });

  test('sends mail only with the secret key', async () => {
    const { request } = place.openBrowser();
    const mail = { to: 'victim@example.com', subject: 'One', text: 'x' };
    const sent = await request('/mail/v1/messages', { method: 'POST', body: JSON.stringify(mail) });
    expect(sent.status).toBe(403);
    expect(await place.countMails('victim@example.com')).toBe(0);
  });
});
