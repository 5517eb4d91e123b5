import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { navigation, startVitrine, type Answer, type Vitrine } from './vitrine.ts';

/* Who reads which version of a project over HTTP: pages, previews, raw files. */

let vitrine: Vitrine;
let key: string;
let owner: { cookie: string; accessToken: string };
let stranger: { cookie: string; accessToken: string };

beforeAll(async () => {
  vitrine = await startVitrine({ CONFIRM_EMAIL: 'false' });
  const { body } = await vitrine.request('/', { headers: navigation });
  key = /sb_publishable_[\w-]+/.exec(body)?.[0] ?? '';
  owner = await vitrine.signUp('olga');
  stranger = await vitrine.signUp('stan');
}, 120_000);
afterAll(() => vitrine.close());

async function call(name: string, body: object): Promise<unknown> {
  const answer = await vitrine.request(`/rest/v1/rpc/${name}`, {
    method: 'POST',
    headers: {
      apikey: key,
      authorization: `Bearer ${owner.accessToken}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  expect(answer.status, `${name}: ${answer.body}`).toBeLessThan(300);
  return answer.body === '' ? undefined : JSON.parse(answer.body);
}

interface Subject {
  readonly id: string;
  readonly slug: string;
}

/** Creates a project of the owner whose first version says “quokka” and whose files say “wombat”. */
async function createVersioned(visibility: string): Promise<Subject> {
  const made = (await call('create_project', {
    id: randomUUID(),
    title: 'Versioned',
    description: '',
    visibility,
    settings: {},
    files: [
      { path: 'index.html', content: '<h1>quokka</h1>' },
      { path: 'src/a b.ts', content: 'const first: number = 1;' },
    ],
    state: 'AAA=',
    state_sha256: sha256(Buffer.from([0, 0])),
  })) as Subject;
  await call('create_version', { project: made.id, message: 'One' });
  await call('append_updates', {
    project: made.id,
    client: randomUUID(),
    base: 1,
    updates: [{ client_seq: 1, update: 'AAA=', sha256: sha256(Buffer.from([0, 0])) }],
    changed: [{ path: 'index.html', content: '<h1>wombat</h1>' }],
    removed: [],
  });
  return made;
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

const page = (path: string, cookie = '') =>
  vitrine.request(path, { headers: { ...navigation, cookie } });
/** A page or file of a preview, as a frame or a script requests it. */
const preview = (label: string, path = '/', headers: Record<string, string> = {}) =>
  vitrine.request(path, { host: `${label}.${vitrine.host}`, headers });

/** Follows a redirect to a preview host, with the cookie of a preview access token. */
async function follow(
  answer: Pick<Answer, 'headers'>,
  headers: Record<string, string> = navigation,
): Promise<Answer> {
  const { host, pathname, search } = new URL(String(answer.headers.location));
  const entered = await vitrine.request(pathname + search, { host, headers: navigation });
  const [cookie = ''] = entered.headers['set-cookie'] ?? [];
  if (cookie === '') return entered;
  const target = new URL(String(entered.headers.location));
  return vitrine.request(target.pathname, {
    host: target.host,
    headers: { ...headers, cookie: cookie.split(';')[0] ?? '' },
  });
}

describe('DB-41: a public project with a published version', () => {
  let subject: Subject;
  beforeAll(async () => {
    subject = await createVersioned('public');
    await call('publish_version', { project: subject.id, number: 1 });
  });

  test.each(['', 'edit--'])('others run it, at %sSLUG', async (prefix) => {
    const { status, body } = await preview(prefix + subject.slug);
    expect([status, body.includes('quokka'), body.includes('wombat')]).toEqual([200, true, false]);
  });

  test('others open and fork it', async () => {
    for (const path of [`/@olga/${subject.slug}`, `/@olga/${subject.slug}/full`])
      for (const cookie of ['', stranger.cookie]) {
        const { status, body } = await page(path, cookie);
        expect([status, body.includes('quokka'), body.includes('wombat')]).toEqual([
          200,
          true,
          false,
        ]);
      }
  });

  test('its owner opens the files being edited, and runs them with a preview access token', async () => {
    const { body } = await page(`/@olga/${subject.slug}`, owner.cookie);
    expect(body).toContain('wombat');
    const [address = ''] = /http[^"\\]*\/__vitrine\/enter\?[^"\\<]*/.exec(body) ?? [];
    const location = address.replaceAll('&amp;', '&').replaceAll('\\u0026', '&');
    expect(new URL(location).host).toBe(`edit--${subject.slug}.${vitrine.host}`);
    const run = await follow({ headers: { location } }, { 'sec-fetch-dest': 'iframe' });
    expect(run.body).toContain('wombat');
    expect(run.headers['cross-origin-resource-policy']).toBe('same-origin');
  });
});

describe('a version’s own addresses', () => {
  let shown: Subject;
  let hidden: Subject;
  beforeAll(async () => {
    [shown, hidden] = [await createVersioned('public'), await createVersioned('private')];
    await call('create_version', { project: shown.id, reason: 'pause' });
  });
  const raw = ({ slug }: Subject, number: number, path: string, cookie = '') =>
    page(`/@olga/${slug}/v/${number}/${path}`, cookie);

  test('run it', async () => {
    expect((await preview(`v1--${shown.slug}`)).body).toContain('quokka');
    expect((await preview(`v2--${shown.slug}`)).status).toBe(404);
    expect((await preview(`v1--${hidden.slug}`)).status).toBe(404);
  });

  test('redirect from the app to the file as it was, which the app never serves', async () => {
    const answer = await raw(shown, 1, 'src/a%20b.ts');
    expect([answer.status, answer.body]).toEqual([302, '']);
    expect(answer.headers.location).toBe(
      `http://v1--${shown.slug}.${vitrine.host}/__vitrine/raw/src/a%20b.ts`,
    );
    const file = await follow(answer);
    expect(file.body).toBe('const first: number = 1;');
    expect(file.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect((await follow(await raw(shown, 1, 'index.html'))).body).toBe('<h1>quokka</h1>');
    expect((await follow(await raw(shown, 1, 'none.txt'))).status).toBe(404);
  });

  test('redirect to the owner’s name', async () => {
    const answer = await page(`/@olgas-old-name/${shown.slug}/v/1/src/a%20b.ts`);
    expect([answer.status, answer.headers.location]).toEqual([
      302,
      `/@olga/${shown.slug}/v/1/src/a%20b.ts`,
    ]);
  });

  test.each(['0', '01', '-1', '1.5', '99', '9999999999', 'x'])(
    'are not found for version %s',
    async (number) => {
      const { status } = await page(`/@olga/${shown.slug}/v/${number}/index.html`, owner.cookie);
      expect(status).toBe(404);
    },
  );

  test('DB-40, DB-42: open for members alone where others don’t see the version', async () => {
    for (const [subject, number, text] of [
      [hidden, 1, 'quokka'],
      [shown, 2, 'wombat'],
    ] as const) {
      for (const cookie of ['', stranger.cookie])
        expect((await raw(subject, number, 'index.html', cookie)).status).toBe(404);
      const answer = await raw(subject, number, 'index.html', owner.cookie);
      // The owner of a public project sees automatic versions only with an access token.
      const file = await follow(answer);
      expect([file.status, file.body]).toEqual([200, `<h1>${text}</h1>`]);
    }
  });
});
