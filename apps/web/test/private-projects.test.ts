import { createHash, randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatDatabaseUrl, startPostgres, type DatabaseAddress } from '@vitrine/backend/postgres';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { navigation, startVitrine, type Answer, type Asked, type Vitrine } from './vitrine.ts';

/*
 * PT-07.2: without access to a project, the response is that for a missing one: the same status,
 * headers and body, after the same statements.
 */

let vitrine: Vitrine;
let stranger: { cookie: string; accessToken: string };
let key: string;
/** SQL statements that the app has sent to its database, in order. */
let statements: string[] = [];
const closers: (() => unknown)[] = [];

interface Subject {
  readonly id: string;
  readonly slug: string;
}
const absent: Subject = { id: randomUUID(), slug: 'abcdefghij012345' };
let hidden: Subject;

beforeAll(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'vitrine-private-'));
  chmodSync(dataDir, 0o711);
  const log = { info() {}, warn() {}, error() {} };
  const postgres = await startPostgres({ dataDir, log });
  closers.push(
    () => rmSync(dataDir, { recursive: true, force: true }),
    () => postgres.close(),
  );
  const DATABASE_URL = await listenIn(postgres.database);
  vitrine = await startVitrine({ DATABASE_URL, CONFIRM_EMAIL: 'false' });
  closers.push(() => vitrine.close());
  const { body } = await vitrine.request('/', { headers: navigation });
  key = /sb_publishable_[\w-]+/.exec(body)?.[0] ?? '';
  const owner = await vitrine.signUp('olga');
  stranger = await vitrine.signUp('stan');
  const made = await askRest('POST', '/rest/v1/rpc/create_project', owner.accessToken, {
    id: randomUUID(),
    title: 'Secret',
    description: '',
    visibility: 'private',
    settings: {},
    files: [{ path: 'index.html', content: 'secret' }],
    state: 'AAA=',
    state_sha256: createHash('sha256')
      .update(Buffer.from([0, 0]))
      .digest('hex'),
  });
  expect(made.status).toBe(200);
  hidden = JSON.parse(made.body) as Subject;
  const kept = await askRest('POST', '/rest/v1/rpc/create_version', owner.accessToken, {
    project: hidden.id,
  });
  expect(JSON.parse(kept.body)).toEqual({ number: 1, created: true });
  await vitrine.request(`/@olga/${hidden.slug}`, { headers: navigation });
}, 120_000);
afterAll(async () => {
  for (const close of closers.toReversed()) await close();
});
beforeEach(() => {
  statements = [];
});

function askRest(method: string, path: string, token: string, body?: object): Promise<Answer> {
  const headers = {
    apikey: key,
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
  };
  return vitrine.request(path, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** Proxies connections to a database and records their statements. Returns its address. */
async function listenIn(database: DatabaseAddress): Promise<string> {
  const server = createServer((client) => {
    const onward = connect(`${database.host}/.s.PGSQL.${database.port}`);
    const texts = new Map<string, string>();
    let left = Buffer.alloc(0);
    let isStarted = false;
    client.on('data', (bytes: Buffer) => {
      left = Buffer.concat([left, bytes]);
      // The first message has no type byte before its length.
      const start = () => (isStarted ? 1 : 0);
      while (left.length >= start() + 4 && left.length >= start() + left.readUInt32BE(start())) {
        const end = start() + left.readUInt32BE(start());
        if (isStarted) note(String.fromCharCode(left[0] ?? 0), left.subarray(5, end), texts);
        isStarted = true;
        left = left.subarray(end);
      }
    });
    client.on('error', () => onward.destroy());
    onward.on('error', () => client.destroy());
    client.pipe(onward).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  closers.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return formatDatabaseUrl({ ...database, host: '127.0.0.1', port });
}

/** `P` prepares a statement, `B` executes a prepared one, `Q` executes SQL text. */
function note(type: string, payload: Buffer, texts: Map<string, string>): void {
  const [first = '', second = ''] = payload.toString('latin1').split('\0');
  if (type === 'P') texts.set(first, second);
  if (type === 'Q') statements.push(first);
  if (type === 'B') statements.push(texts.get(second) ?? '');
}

/** Removes the parts of a response that depend on its request; all others must be equal. */
async function observe(subject: Subject, ask: (subject: Subject) => Promise<Answer>) {
  statements = [];
  const { status, headers, body } = await ask(subject);
  const { date: _, 'x-request-id': __, ...rest } = headers;
  const nonce = /'nonce-([^']+)'/.exec(String(headers['content-security-policy']))?.[1] ?? '\0';
  const neutral = (text: string) =>
    text
      .replaceAll(subject.slug, 'SLUG')
      .replaceAll(subject.id, 'ID')
      .replaceAll(nonce, 'NONCE')
      .replace(/(nonce\\?",\\?")[\w+/=]+/, '$1NONCE')
      .replaceAll(/[0-9a-f-]{36}/g, 'UUID');
  return {
    status,
    headers: JSON.parse(neutral(JSON.stringify(rest))) as unknown,
    body: neutral(body),
    // Parallel requests of a page are answered in any order. Servers greet each other at any time.
    statements: statements
      .filter((text) => !text.includes('realtime.listeners'))
      .map(neutral)
      .toSorted(),
  };
}

const page =
  (path: (subject: Subject) => string, asked: () => Asked = () => ({})) =>
  async (subject: Subject) => {
    const { headers, ...more } = asked();
    return vitrine.request(path(subject), { ...more, headers: { ...navigation, ...headers } });
  };
const signedIn = () => ({ headers: { cookie: stranger.cookie } });
const previewOf =
  (prefix: string, path = '/') =>
  async ({ slug }: Subject) =>
    vitrine.request(path, { host: `${prefix}${slug}.${vitrine.host}`, headers: navigation });
const rest =
  (method: string, path: (subject: Subject) => string, body?: (s: Subject) => object) =>
  async (subject: Subject) =>
    askRest(method, path(subject), stranger.accessToken, body?.(subject));
const update = { client_seq: 1, update: 'AAA=', sha256: '0'.repeat(64) };

const questions: Record<string, (subject: Subject) => Promise<Answer>> = {
  'a page, for a visitor': page(({ slug }) => `/@olga/${slug}?tab=console`),
  'a page, for a user': page(({ slug }) => `/@olga/${slug}`, signedIn),
  'a page with another username': page(({ slug }) => `/@nobody-here/${slug}`, signedIn),
  'the full-page preview': page(({ slug }) => `/@olga/${slug}/full`, signedIn),
  'data of a page': page(
    ({ slug }) => `/@olga/${slug}.data`,
    () => ({
      headers: { cookie: stranger.cookie, accept: '*/*', 'sec-fetch-site': 'same-origin' },
    }),
  ),
  'the short URL': page(({ slug }) => `/p/${slug}`),
  'the short URL, for a user': page(({ slug }) => `/p/${slug}`, signedIn),
  'an access URL for the preview': page(
    ({ slug }) => `/@olga/${slug}/entry`,
    () => ({ method: 'POST' }),
  ),
  'its preview': previewOf(''),
  'its preview being edited': previewOf('edit--'),
  'a file of its preview': previewOf('', '/index.html'),
  'a version of its preview': previewOf('v1--'),
  'a raw file of a version': previewOf('v1--', '/__vitrine/raw/index.html'),
  'a raw file of a version, by the app': page(({ slug }) => `/@olga/${slug}/v/1/index.html`),
  'an icon of its preview': previewOf('', '/favicon.ico'),
  'a map of its preview': previewOf('', '/index.js.map'),
  find_project: rest('GET', ({ slug }) => `/rest/v1/rpc/find_project?slug=${slug}`),
  read_project: rest(
    'POST',
    () => '/rest/v1/rpc/read_project',
    ({ slug }) => ({ slug }),
  ),
  list_versions: rest('GET', ({ slug }) => `/rest/v1/rpc/list_versions?slug=${slug}`),
  read_version: rest('GET', ({ slug }) => `/rest/v1/rpc/read_version?slug=${slug}&number=1`),
  create_version: rest(
    'POST',
    () => '/rest/v1/rpc/create_version',
    ({ id }) => ({ project: id }),
  ),
  publish_version: rest(
    'POST',
    () => '/rest/v1/rpc/publish_version',
    ({ id }) => ({ project: id, number: 1 }),
  ),
  load_document: rest(
    'POST',
    () => '/rest/v1/rpc/load_document',
    ({ id }) => ({ project: id }),
  ),
  append_updates: rest(
    'POST',
    () => '/rest/v1/rpc/append_updates',
    ({ id }) => ({
      project: id,
      client: absent.id,
      base: 1,
      updates: [update],
      changed: [],
      removed: [],
    }),
  ),
  set_project_hidden: rest(
    'POST',
    () => '/rest/v1/rpc/set_project_hidden',
    ({ id }) => ({
      project: id,
      hidden: true,
    }),
  ),
  list_people: rest(
    'POST',
    () => '/rest/v1/rpc/list_people',
    ({ id }) => ({ project: id }),
  ),
  invite_to_project: rest(
    'POST',
    () => '/rest/v1/rpc/invite_to_project',
    ({ id }) => ({ project: id, role: 'editor', username: 'stan' }),
  ),
  set_member_role: rest(
    'POST',
    () => '/rest/v1/rpc/set_member_role',
    ({ id }) => ({ project: id, member: absent.id, role: 'editor' }),
  ),
  remove_member: rest(
    'POST',
    () => '/rest/v1/rpc/remove_member',
    ({ id }) => ({ project: id, member: absent.id }),
  ),
  leave_project: rest(
    'POST',
    () => '/rest/v1/rpc/leave_project',
    ({ id }) => ({ project: id }),
  ),
  'its invitations': rest('GET', ({ id }) => `/rest/v1/invitations?project_id=eq.${id}&select=id`),
  'its members': rest('GET', ({ id }) => `/rest/v1/project_members?project_id=eq.${id}`),
  'a fork of it': rest(
    'POST',
    () => '/rest/v1/rpc/create_project',
    ({ id }) => ({
      id: absent.id,
      title: 'Fork',
      description: '',
      visibility: 'private',
      settings: {},
      files: [],
      state: 'AAA=',
      state_sha256: '0'.repeat(64),
      forked_from: id,
    }),
  ),
  'its row': rest('GET', ({ id }) => `/rest/v1/projects?id=eq.${id}&select=id`),
  'its row, by slug': rest('GET', ({ slug }) => `/rest/v1/projects?slug=eq.${slug}&select=id`),
  'its files': rest('GET', ({ id }) => `/rest/v1/project_files?project_id=eq.${id}`),
  'its document': rest('GET', ({ id }) => `/rest/v1/documents?project_id=eq.${id}`),
  'a change of its title': rest(
    'PATCH',
    ({ id }) => `/rest/v1/projects?id=eq.${id}&select=id`,
    () => ({
      title: 'Taken',
    }),
  ),
  'a file in storage': rest('GET', ({ id }) => `/storage/v1/object/avatars/${id}/a.png`),
  'a list in storage': rest(
    'POST',
    () => '/storage/v1/object/list/avatars',
    ({ id }) => ({
      prefix: `${id}/`,
    }),
  ),
};

test.each(Object.entries(questions))(
  'PT-07.2: %s is the same for a private project and a missing one',
  async (name, ask) => {
    // Statements that are prepared once per connection are prepared by now.
    await observe(absent, ask);
    const [ofHidden, ofAbsent] = [await observe(hidden, ask), await observe(absent, ask)];
    expect(ofHidden).toEqual(ofAbsent);
    // An access URL depends only on the session.
    expect(ofHidden.statements.length > 0).toBe(name !== 'an access URL for the preview');
    expect(ofHidden.body).not.toContain('Secret');
  },
);

test('PT-07.2: its channel rejects like that of a missing project', async () => {
  const join = async ({ id }: Subject) => {
    const { port } = new URL(vitrine.origin);
    const socket = new WebSocket(
      `ws://127.0.0.1:${port}/realtime/v1/websocket?apikey=${key}&vsn=2.0.0`,
    );
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', reject);
    });
    statements = [];
    const payload = { config: { private: true }, access_token: stranger.accessToken };
    const answered = new Promise<string>((resolve) => {
      socket.addEventListener('message', ({ data }) => resolve(String(data)));
    });
    socket.send(JSON.stringify(['1', '1', `realtime:project:${id}`, 'phx_join', payload]));
    const answer = (await answered).replaceAll(id, 'ID');
    socket.close();
    return { answer, statements: statements.filter((text) => text.includes('find_rights')).length };
  };
  const ofHidden = await join(hidden);
  expect(ofHidden).toEqual(await join(absent));
  expect(ofHidden).toMatchObject({ answer: expect.stringContaining('"error"'), statements: 1 });
});
