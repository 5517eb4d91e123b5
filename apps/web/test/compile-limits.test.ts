import { createHash } from 'node:crypto';
import { documentFromFiles } from '@vitrine/project';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeStateAsUpdate } from 'yjs';
import { navigation, startVitrine, type Vitrine } from './vitrine.ts';

let vitrine: Vitrine;

beforeAll(async () => {
  vitrine = await startVitrine({ TRUSTED_PROXIES: '127.0.0.1' });
}, 60_000);
afterAll(() => vitrine.close());

/** The host of a new public project. */
async function publish(name: string, files: Record<string, string>): Promise<string> {
  const { accessToken } = await vitrine.signUp(name);
  const page = await vitrine.request('/', { headers: navigation });
  const state = encodeStateAsUpdate(documentFromFiles(Object.entries(files)));
  const created = await vitrine.request('/rest/v1/rpc/create_project', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      apikey: /sb_publishable_[\w-]+/.exec(page.body)?.[0] ?? '',
      authorization: `Bearer ${accessToken}`,
    },
    body: JSON.stringify({
      id: crypto.randomUUID(),
      title: name,
      description: '',
      visibility: 'public',
      settings: {},
      files: Object.entries(files).map(([path, content]) => ({ path, content })),
      state: Buffer.from(state).toString('base64'),
      state_sha256: createHash('sha256').update(state).digest('hex'),
    }),
  });
  expect(created.status).toBe(200);
  const { slug }: { slug: string } = JSON.parse(created.body);
  return `${slug}.${vitrine.host.replace('vitrine.', 'vitrine-preview.')}`;
}

async function open(host: string, path: string, address: string) {
  const start = performance.now();
  const headers = { 'x-forwarded-for': address, 'sec-fetch-dest': 'style' };
  const { status } = await vitrine.request(path, { host, headers });
  return { status, ms: performance.now() - start };
}

const six = [0, 1, 2, 3, 4, 5];
const filesOf = (text: (each: number) => string) =>
  Object.fromEntries(six.map((each) => [`${each}.scss`, text(each)]));

test('PT-03 loops in the stylesheets of one project hold up no other', async () => {
  const attacked = await publish(
    'mallory',
    filesOf((each) => `/* ${each} */ @while true {}`),
  );
  const quiet = await publish(
    'ann',
    filesOf((each) => `a { b${each} { color: red } }`),
  );
  expect((await open(quiet, '/0.scss', '198.51.100.7')).status).toBe(200);
  const attacks = [0, 1, 2, 3].map((each) => open(attacked, `/${each}.scss`, '192.0.2.1'));
  for (const each of [1, 2, 3, 4, 5]) {
    const { status, ms } = await open(quiet, `/${each}.scss`, '198.51.100.7');
    expect(status).toBe(200);
    // Behind the four loops it takes six seconds or more.
    expect(ms).toBeLessThan(1_200);
  }
  for (const { status } of await Promise.all(attacks)) expect(status).toBe(422);
  // Whoever asks for them later waits for nothing.
  const again = await open(attacked, '/0.scss', '203.0.113.9');
  expect(again.status).toBe(422);
  expect(again.ms).toBeLessThan(1_000);
}, 60_000);
