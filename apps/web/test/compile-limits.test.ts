import { createHash } from 'node:crypto';
import { createDocumentFromFiles } from '@vitrine/project';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeStateAsUpdate } from 'yjs';
import { navigation, startVitrine, type Vitrine } from './vitrine.ts';

let vitrine: Vitrine;

beforeAll(async () => {
  vitrine = await startVitrine({ TRUSTED_PROXIES: '127.0.0.1' });
}, 60_000);
afterAll(() => vitrine.close());

/** Creates a public project and returns its preview host. */
async function publish(name: string, files: Record<string, string>): Promise<string> {
  const { accessToken } = await vitrine.signUp(name);
  const page = await vitrine.request('/', { headers: navigation });
  const state = encodeStateAsUpdate(createDocumentFromFiles(Object.entries(files)));
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

async function open(host: string, path: string, address: string): Promise<number> {
  const destination = path.endsWith('.scss') ? 'style' : 'script';
  const headers = { 'x-forwarded-for': address, 'sec-fetch-dest': destination };
  return (await vitrine.request(path, { host, headers })).status;
}

const seven = [0, 1, 2, 3, 4, 5, 6];
const filesOf = (text: (each: number) => string) =>
  Object.fromEntries(seven.map((each) => [`${each}.scss`, text(each)]));

test('PT-03 infinite loops in one project’s stylesheets delay no other project', async () => {
  const attacked = await publish(
    'mallory',
    filesOf((each) => `/* ${each} */ @while true {}`),
  );
  const quiet = await publish(
    'ann',
    filesOf((each) => `a { b${each} { color: red } }`),
  );
  expect(await open(quiet, '/0.scss', '198.51.100.7')).toBe(200);
  const attacks = [0, 1, 2, 3].map((each) => open(attacked, `/${each}.scss`, '192.0.2.1'));
  let ended = 0;
  for (const attack of attacks) void attack.then(() => (ended += 1));
  for (const each of [1, 2, 3, 4, 5]) {
    expect(await open(quiet, `/${each}.scss`, '198.51.100.7')).toBe(200);
    // If it waited behind the loops, all of them would end before its first response.
    if (each === 1) expect(ended).toBeLessThanOrEqual(1);
  }
  expect(await Promise.all(attacks)).toEqual([422, 422, 422, 422]);
  // Later requests for them don't wait, not even as long as the shortest file takes to compile.
  const first = await Promise.race([
    open(attacked, '/0.scss', '203.0.113.9'),
    open(quiet, '/6.scss', '198.51.100.7'),
  ]);
  expect(first).toBe(422);
}, 180_000);

test('PT-08 a saved file that ends its compiler is refused and logged, and others are served', async () => {
  const host = await publish('eve', {
    'a.tsx': '<a>'.repeat(20_000),
    'fine.ts': 'export const a: number = 1;',
  });
  expect(await open(host, '/a.tsx', '192.0.2.5')).toBe(422);
  expect(await open(host, '/fine.ts', '198.51.100.9')).toBe(200);
  expect(await open(host, '/a.tsx', '198.51.100.9')).toBe(422);
  const lines = vitrine.log.filter((line) => line.includes('ended its compile process'));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/project="[\w-]{36}" path="a\.tsx" hash="[\w-]{43}" reason="SIG\w+"/);
}, 120_000);
