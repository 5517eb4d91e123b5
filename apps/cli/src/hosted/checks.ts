import { createHash, randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { connectDatabase, parseDatabaseUrl } from '@vitrine/backend/postgres';
import type { Sql } from 'postgres';
import { joinChannel } from './join-channel.ts';
import {
  describeConnectionError,
  expectRows,
  expectStatus,
  CheckFailure,
  openHostedProject,
  readField,
  type CheckUser,
  type HostedProject,
  type HostedProjectKeys,
} from './hosted-project.ts';

interface HostedCheckOptions extends HostedProjectKeys {
  /** Connection string; undefined skips the comparison of migrations. */
  databaseUrl: string | undefined;
  /** Path of supabase/migrations. */
  migrationsDir: string;
}

interface CheckResult {
  name: string;
  outcome: 'ok' | 'failed' | 'skipped';
  /** Why the check failed or was skipped; empty when it passed. */
  detail: string;
}

interface Fixture {
  project: HostedProject;
  owner: CheckUser;
  stranger: CheckUser;
  /** Id of a private project of the owner. */
  id: string;
  slug: string;
}

/**
 * Checks a hosted project from outside, as the app and an attacker would. Creates two users and a
 * private project, and deletes them in the end. Yields every check as it completes.
 */
export async function* checkHostedProject(
  options: HostedCheckOptions,
): AsyncGenerator<CheckResult> {
  const project = openHostedProject(options);
  try {
    yield* runChecks(options, project);
  } finally {
    yield await runCheck('the test users and their project are deleted', () =>
      project.deleteUsers(),
    );
  }
}

async function* runChecks(
  options: HostedCheckOptions,
  project: HostedProject,
): AsyncGenerator<CheckResult> {
  const { databaseUrl, migrationsDir } = options;
  yield await runCheck('the API keys are valid', () => checkKeys(project));
  yield databaseUrl === undefined
    ? createSkipped('all migrations are applied', 'set HOSTED_URL to compare them')
    : await runCheck('all migrations are applied', () =>
        checkMigrations(databaseUrl, migrationsDir),
      );
  yield await runCheck('tokens are signed with an asymmetric key', () => checkSigning(project));
  yield await runCheck('new email addresses must be confirmed', () => checkConfirmation(project));
  const fixture: Partial<Fixture> = { project };
  yield await runCheck('users can sign in and have a profile and a project', () =>
    createFixture(fixture),
  );
  for (const [name, run] of Object.entries(fixtureChecks)) {
    yield isComplete(fixture)
      ? await runCheck(name, () => run(fixture))
      : createSkipped(name, 'there are no test users');
  }
}

/** Reports a CheckFailure as failed; any other error is a bug and is thrown. */
async function runCheck(name: string, run: () => Promise<void>): Promise<CheckResult> {
  try {
    await run();
    return { name, outcome: 'ok', detail: '' };
  } catch (error) {
    if (error instanceof CheckFailure) return { name, outcome: 'failed', detail: error.message };
    throw error;
  }
}

function createSkipped(name: string, about: string): CheckResult {
  return { name, outcome: 'skipped', detail: about };
}

function isComplete(fixture: Partial<Fixture>): fixture is Fixture {
  return fixture.slug !== undefined;
}

async function checkKeys({ request }: HostedProject): Promise<void> {
  expectStatus(await request('/auth/v1/settings'), 'The publishable key', 200);
  const path = '/auth/v1/admin/users?per_page=1';
  expectStatus(await request(path, { as: 'secret' }), 'The secret key', 200);
  expectStatus(await request(path), 'The list of users, with the publishable key', 401, 403);
}

async function checkMigrations(databaseUrl: string, migrationsDir: string): Promise<void> {
  const files = (await readdir(migrationsDir)).filter((file) => file.endsWith('.sql'));
  const applied = await readVersions(databaseUrl);
  const missing = files.filter((file) => !applied.has(file.split('_', 1)[0] ?? ''));
  if (missing.length > 0) throw new CheckFailure(`missing: ${missing.join(', ')}`);
}

/** Reports every connection error as a CheckFailure: the URL comes from the operator. */
async function readVersions(databaseUrl: string): Promise<Set<string>> {
  try {
    return await queryVersions(
      connectDatabase(parseDatabaseUrl(databaseUrl, 'HOSTED_URL'), { max: 1 }),
    );
  } catch (error) {
    throw new CheckFailure(describeConnectionError(error), { cause: error });
  }
}

async function queryVersions(sql: Sql): Promise<Set<string>> {
  try {
    const rows = await sql<{ version: string }[]>`
      select version from supabase_migrations.schema_migrations`;
    return new Set(rows.map(({ version }) => version));
  } finally {
    await sql.end();
  }
}

async function checkSigning({ request }: HostedProject): Promise<void> {
  const { body } = await request('/auth/v1/.well-known/jwks.json');
  const keys = readField(body, 'keys');
  if (!Array.isArray(keys) || keys.length === 0) {
    throw new CheckFailure('no asymmetric keys: rotate them under Project settings → JWT keys');
  }
}

async function checkConfirmation({ request }: HostedProject): Promise<void> {
  const { body } = await request('/auth/v1/settings');
  if (readField(body, 'mailer_autoconfirm') !== false) {
    throw new CheckFailure('turn on “Confirm email”');
  }
}

async function createFixture(fixture: Partial<Fixture>): Promise<void> {
  const { project } = fixture;
  if (project === undefined) throw new Error('a scene without a project');
  const owner = await project.createUser();
  const stranger = await project.createUser();
  const profile = `/rest/v1/profiles?select=username&id=eq.${owner.id}`;
  expectRows(await project.request(profile), 'Reading a profile as a visitor', 1);
  const made = await project.request('/rest/v1/rpc/create_project', {
    as: owner,
    method: 'POST',
    body: newProject(),
  });
  expectStatus(made, 'Saving a project', 200);
  const id = String(readField(made.body, 'id'));
  Object.assign(fixture, { owner, stranger, id, slug: String(readField(made.body, 'slug')) });
}

/** A project with an empty document and one file. */
function newProject(): object {
  const state = Buffer.from([0, 0]);
  return {
    id: randomUUID(),
    title: 'A check',
    description: '',
    visibility: 'private',
    settings: {},
    files: [{ path: 'index.html', content: '<p>A check</p>' }],
    state: state.toString('base64'),
    state_sha256: createHash('sha256').update(state).digest('hex'),
  };
}

const fixtureChecks: Readonly<Record<string, (fixture: Fixture) => Promise<void>>> = {
  async 'a session can be refreshed'({ project, owner }) {
    const session = await project.request('/auth/v1/token?grant_type=password', {
      method: 'POST',
      body: { email: owner.email, password: owner.password },
    });
    const body = { refresh_token: readField(session.body, 'refresh_token') };
    const path = '/auth/v1/token?grant_type=refresh_token';
    expectStatus(await project.request(path, { method: 'POST', body }), 'Refreshing', 200);
  },
  async 'a password of nine characters is rejected'({ project, owner }) {
    const body = { password: 'nine-char' };
    const response = await project.request('/auth/v1/user', { as: owner, method: 'PUT', body });
    expectStatus(response, 'The password', 422);
  },
  async 'the server can delete old projects in the trash, and users can’t'({ project, owner }) {
    const path = '/rest/v1/rpc/purge_trash';
    const call = { method: 'POST', body: { most: 0 } };
    expectStatus(await project.request(path, { as: 'secret', ...call }), 'The call', 200);
    expectStatus(await project.request(path, { as: owner, ...call }), 'A user’s call', 403, 404);
  },
  async 'the owner can read a private project'({ project, owner, id, slug }) {
    for (const table of ['project_files', 'documents']) {
      const path = `/rest/v1/${table}?select=project_id&project_id=eq.${id}`;
      expectRows(await project.request(path, { as: owner }), table, 1);
    }
    const read = await project.request(`/rest/v1/rpc/read_project?slug=${slug}`, { as: owner });
    if (readField(read.body, 'id') !== id) throw new CheckFailure('read_project doesn’t return it');
  },
  async 'nobody else can see a private project'({ project, stranger, id, slug }) {
    for (const as of [stranger, undefined]) {
      const who = as ? 'Another member' : 'A visitor';
      const question = as ? { as } : {};
      const row = await project.request(`/rest/v1/projects?select=id&id=eq.${id}`, question);
      expectRows(row, `${who}, of projects`, 0);
      for (const table of ['project_files', 'documents', 'document_updates']) {
        const response = await project.request(`/rest/v1/${table}?project_id=eq.${id}`, question);
        expectNoRows(response, `${who}, of ${table}`);
      }
      const read = await project.request(`/rest/v1/rpc/read_project?slug=${slug}`, question);
      if (read.body !== null) expectStatus(read, `${who}, of read_project`, 404);
    }
  },
  async 'nobody else can change a project'({ project, owner, stranger, id }) {
    const row = `/rest/v1/projects?id=eq.${id}`;
    const change = { method: 'PATCH', body: { title: 'Taken' } };
    await project.request(row, { ...change, as: stranger });
    await project.request(row, change);
    const load = { method: 'POST', body: { project: id, since: 0 } };
    const loaded = await project.request('/rest/v1/rpc/load_document', { ...load, as: stranger });
    expectStatus(loaded, 'Another member, of load_document', 403, 404);
    const now = await project.request(`${row}&title=eq.A%20check&select=id`, { as: owner });
    expectRows(now, 'The original title', 1);
  },
  async 'versions of a private project are for its members'({
    project,
    owner,
    stranger,
    id,
    slug,
  }) {
    const create = { as: owner, method: 'POST', body: { project: id } };
    const created = await project.request('/rest/v1/rpc/create_version', create);
    expectStatus(created, 'create_version', 200);
    const list = `/rest/v1/rpc/list_versions?slug=${slug}`;
    expectRows(await project.request(list, { as: owner }), 'list_versions', 1);
    const table = await project.request('/rest/v1/version_contents', { as: owner });
    expectStatus(table, 'Reading version_contents', 401, 403);
    for (const as of [stranger, undefined]) {
      const who = as ? 'Another member' : 'A visitor';
      const question = as ? { as } : {};
      expectRows(await project.request(list, question), `${who}, of list_versions`, 0);
      const read = await project.request(
        `/rest/v1/rpc/read_version?slug=${slug}&number=1`,
        question,
      );
      if (read.body !== null) expectStatus(read, `${who}, of read_version`, 404);
    }
  },
  async 'users can’t grant themselves roles'({ project, stranger }) {
    const row = `/rest/v1/profiles?id=eq.${stranger.id}`;
    const change = { as: stranger, method: 'PATCH', body: { role: 'admin' } };
    expectStatus(await project.request(row, change), 'Becoming an administrator', 401, 403);
    const body = { person: stranger.id, role: 'admin' };
    const call = { as: stranger, method: 'POST', body };
    expectStatus(await project.request('/rest/v1/rpc/set_role', call), 'set_role', 403);
  },
  async 'users can’t read the roles of others'({ project, owner, stranger }) {
    for (const columns of ['select=role', 'select=*', 'select=id&suspended_at=is.null']) {
      const response = await project.request(`/rest/v1/profiles?${columns}&id=eq.${owner.id}`, {
        as: stranger,
      });
      expectStatus(response, `Profiles with ${columns}`, 401, 403);
    }
  },
  async 'files can only be saved with functions'({ project, owner, id }) {
    const body = { project_id: id, path: 'planted.html', content: '' };
    const response = await project.request('/rest/v1/project_files', {
      as: owner,
      method: 'POST',
      body,
    });
    expectStatus(response, 'Inserting into project_files', 401, 403);
  },
  async 'an invitation lets a user in, until the owner removes them'({
    project,
    owner,
    stranger,
    id,
  }) {
    const call = (name: string, as: CheckUser, body: object) =>
      project.request(`/rest/v1/rpc/${name}`, { as, method: 'POST', body });
    const load = { project: id, since: 0 };
    const made = await call('invite_to_project', owner, { project: id, role: 'viewer' });
    expectStatus(made, 'Creating an invitation link', 200);
    const invitation = { invitation: readField(made.body, 'token') };
    expectStatus(await call('accept_invitation', stranger, invitation), 'Accepting', 200);
    expectStatus(await call('load_document', stranger, load), 'A member, of load_document', 200);
    const removal = { project: id, member: stranger.id };
    expectStatus(await call('remove_member', owner, removal), 'Removing', 200, 204);
    const again = await call('accept_invitation', stranger, invitation);
    expectStatus(again, 'Accepting again after the removal', 409);
    const loaded = await call('load_document', stranger, load);
    expectStatus(loaded, 'A removed member, of load_document', 403, 404);
  },
  async 'visitors can’t save anything'({ project }) {
    const call = { method: 'POST', body: newProject() };
    expectStatus(
      await project.request('/rest/v1/rpc/create_project', call),
      'Saving',
      401,
      403,
      404,
    );
  },
  async 'users can only upload to their own folder, and pictures are public'({
    project,
    owner,
    stranger,
  }) {
    const name = `${owner.id}/${randomUUID()}.png`;
    const put = { method: 'POST', body: pixel, headers: { 'content-type': 'image/png' } };
    const path = `/storage/v1/object/avatars/${name}`;
    expectStatus(
      await project.request(path, { ...put, as: stranger }),
      'Uploading to another user’s folder',
      400,
      403,
    );
    expectStatus(await project.request(path, put), 'Uploading as a visitor', 400, 401, 403);
    expectStatus(
      await project.request(path, { ...put, as: owner }),
      'Uploading to your own folder',
      200,
    );
    const seen = await project.request(`/storage/v1/object/public/avatars/${name}`);
    expectStatus(seen, 'Reading as a visitor', 200);
    const gone = await project.request(path, { as: owner, method: 'DELETE' });
    expectStatus(gone, 'Deleting as the owner', 200);
  },
  async 'assets are plain bytes that only their project’s members can use'(fixture) {
    const { project, owner } = fixture;
    const name = `${owner.id}/${createHash('sha256').update(pixel).digest('hex')}`;
    try {
      await checkAssets(fixture, name);
    } finally {
      const body = { prefixes: [name] };
      const path = '/storage/v1/object/assets';
      const gone = await project.request(path, { as: 'secret', method: 'DELETE', body });
      expectStatus(gone, 'Deleting with the secret key', 200);
    }
  },
  async 'posters can only be read by those who see the project'(fixture) {
    const { project, id } = fixture;
    const name = `${id}/0`;
    try {
      await checkPosters(fixture, name);
    } finally {
      const body = { prefixes: [name] };
      const path = '/storage/v1/object/posters';
      const gone = await project.request(path, { as: 'secret', method: 'DELETE', body });
      expectStatus(gone, 'Deleting with the secret key', 200);
    }
  },
  async 'sockets can be opened, and channels need a policy'({ project, owner: as }) {
    for (const isPrivate of [false, true]) {
      const status = await joinChannel(project, { topic: `check ${randomUUID()}`, isPrivate, as });
      if (status === 'error') continue;
      throw new CheckFailure(
        isPrivate
          ? 'joined a private channel without a policy'
          : 'joined a public channel: turn off “Allow public access” for Realtime',
      );
    }
  },
};

/** Uploads the pixel as an asset, saves it in a project, and tries to use it as others. */
async function checkAssets({ project, owner, stranger }: Fixture, name: string): Promise<void> {
  const bytes = { 'content-type': 'application/octet-stream' };
  const upload = (to: string, as: CheckUser | undefined, headers = bytes) =>
    project.request(`/storage/v1/object/assets/${to}`, {
      ...(as && { as }),
      method: 'POST',
      body: pixel,
      headers,
    });
  for (const [what, response] of Object.entries({
    'another user’s folder': await upload(name, stranger),
    'a folder as a visitor': await upload(name, undefined),
    'a name that is no hash': await upload(`${owner.id}/pixel.png`, owner),
  }))
    expectStatus(response, `Uploading to ${what}`, 400, 401, 403);
  const page = await upload(name, owner, { 'content-type': 'text/html' });
  expectStatus(page, 'Uploading as a page', 400, 415, 422);
  expectStatus(await upload(name, owner), 'Uploading to your own folder', 200);
  const save = (as: CheckUser) => {
    const [, hash] = name.split('/');
    const asset = { path: 'pixel.png', hash, size: pixel.length, media_type: 'image/png' };
    const body = { ...newProject(), files: [asset] };
    return project.request('/rest/v1/rpc/create_project', { as, method: 'POST', body });
  };
  expectStatus(await save(stranger), 'Saving another user’s asset', 409);
  expectStatus(await save(owner), 'Saving an asset', 200);
  const path = `/storage/v1/object/authenticated/assets/${name}`;
  expectStatus(await project.request(path, { as: owner }), 'Reading an asset', 200);
  for (const as of [stranger, undefined]) {
    const asked = as ? { as } : {};
    const read = await project.request(path, asked);
    expectStatus(read, 'Reading another user’s asset', 400, 401, 403, 404);
    const list = { ...asked, method: 'POST', body: { prefix: `${owner.id}/` } };
    const listed = await project.request('/storage/v1/object/list/assets', list);
    expectNoRows(listed, 'Listing another user’s assets');
  }
}

/** Uploads and replaces the poster of the private project, and tries to do so and to read it as others. */
async function checkPosters({ project, owner, stranger }: Fixture, name: string): Promise<void> {
  const upload = (as: CheckUser | undefined, type = 'image/webp') =>
    project.request(`/storage/v1/object/posters/${name}`, {
      ...(as && { as }),
      method: 'POST',
      body: pixel,
      headers: { 'content-type': type, 'x-upsert': 'true' },
    });
  expectStatus(await upload(stranger), 'Uploading a poster as a stranger', 400, 401, 403);
  expectStatus(await upload(undefined), 'Uploading a poster as a visitor', 400, 401, 403);
  expectStatus(await upload(owner, 'text/html'), 'Uploading a page', 400, 415, 422);
  expectStatus(await upload(owner), 'Uploading a poster', 200);
  expectStatus(await upload(owner), 'Replacing a poster', 200);
  const path = `/storage/v1/object/authenticated/posters/${name}`;
  expectStatus(await project.request(path, { as: owner }), 'Reading a poster', 200);
  for (const as of [stranger, undefined]) {
    const asked = as ? { as } : {};
    const read = await project.request(path, asked);
    expectStatus(read, 'Reading the poster of a private project', 400, 401, 403, 404);
    const list = { ...asked, method: 'POST', body: { prefix: name.slice(0, -1) } };
    const listed = await project.request('/storage/v1/object/list/posters', list);
    expectNoRows(listed, 'Listing posters');
  }
}

/** Expects no rows, or an error because the table is not accessible. */
function expectNoRows(response: { status: number; body: unknown }, what: string): void {
  if (response.status === 200) expectRows(response, what, 0);
  else expectStatus(response, what, 400, 401, 403, 404);
}

/** A PNG of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
