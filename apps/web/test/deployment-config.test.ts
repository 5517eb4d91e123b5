/**
 * The ways of deploying Vitrine, and what it trusts about requests in each. Proxies and port
 * forwards are those of `proxies.ts`; the same was tried with Caddy and nginx by hand.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClientAddressReader } from '../server/client-address.ts';
import { createHosts } from '../server/hosts.ts';
import { getDeploymentConfig } from '../server/deployment-config.ts';
import { parseSettings, type Environment } from '../server/settings.ts';
import { startProxy, type Proxy, type ProxyKind } from './proxies.ts';
import { ask, navigation, startVitrine, type Answer, type Asked, type Vitrine } from './vitrine.ts';

const publicHost = 'play.example.com';
const place = { PUBLIC_ORIGIN: `https://${publicHost}`, PREVIEW_HOST: 'example-results.net' };
const client = '198.51.100.7';
const forwarded = { 'x-forwarded-for': client };
const spoofed = { 'x-forwarded-for': '192.0.2.66' };
/** A client's forged headers, which a proxy that adds none forwards. */
const local = { 'x-forwarded-for': '127.0.0.1' };

interface LayoutCase {
  readonly layout: string;
  readonly env: Environment;
  /** The incoming request: the connection's address, `Host` and headers. */
  readonly peer: string;
  readonly host: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What that host serves: pages, only the API for programs, or nothing. */
  readonly serves: 'app' | 'program' | 'unknown';
  /** The address that rate limits count by. */
  readonly counts: string;
  readonly functionsUrl?: string;
  /** Whether emails are readable with the link in the startup output, which is the only way. */
  readonly keepsMail?: boolean;
  readonly metricsPort?: number;
}

const bare = { host: 'vitrine.localhost:4000', functionsUrl: 'http://127.0.0.1:4000' };
const proxied = { host: publicHost, functionsUrl: 'http://127.0.0.1:4000' };
const behind = { ...place, TRUSTED_PROXIES: '127.0.0.1' };

const layouts: readonly LayoutCase[] = [
  {
    layout: 'bare on loopback',
    env: {},
    peer: '127.0.0.1',
    ...bare,
    serves: 'app',
    counts: '127.0.0.1',
  },
  {
    layout: 'bare on loopback, a header of one’s own',
    env: {},
    peer: '127.0.0.1',
    ...bare,
    headers: spoofed,
    serves: 'app',
    counts: '127.0.0.1',
  },
  {
    layout: 'bare on loopback, IPv6',
    env: { LISTEN: '::1' },
    peer: '::1',
    host: 'vitrine.localhost:4000',
    serves: 'app',
    counts: '::1',
    functionsUrl: 'http://[::1]:4000',
  },
  {
    layout: 'forwarded port (SSH, an editor)',
    env: {},
    peer: '127.0.0.1',
    ...bare,
    host: 'localhost:4000',
    serves: 'app',
    counts: '127.0.0.1',
  },
  {
    layout: 'forwarded port, another number',
    env: {},
    peer: '127.0.0.1',
    ...bare,
    host: 'localhost:5000',
    serves: 'unknown',
    counts: '127.0.0.1',
  },
  {
    layout: 'nginx, default proxy_pass, nothing set',
    env: {},
    peer: '127.0.0.1',
    ...bare,
    host: '127.0.0.1:4000',
    headers: local,
    serves: 'app',
    counts: '127.0.0.1',
  },
  {
    layout: 'nginx, default proxy_pass to an upstream block',
    env: {},
    peer: '127.0.0.1',
    ...bare,
    host: 'vitrine',
    serves: 'unknown',
    counts: '127.0.0.1',
  },
  {
    layout: 'nginx, default proxy_pass, PUBLIC_ORIGIN',
    env: place,
    peer: '127.0.0.1',
    ...proxied,
    host: '127.0.0.1:4000',
    serves: 'program',
    counts: '127.0.0.1',
  },
  {
    layout: 'nginx with Host alone',
    env: place,
    peer: '127.0.0.1',
    ...proxied,
    headers: spoofed,
    serves: 'app',
    counts: '127.0.0.1',
  },
  {
    layout: 'nginx as documented',
    env: behind,
    peer: '127.0.0.1',
    ...proxied,
    headers: { 'x-forwarded-for': `192.0.2.66, ${client}` },
    serves: 'app',
    counts: client,
  },
  {
    layout: 'Caddy without TRUSTED_PROXIES',
    env: place,
    peer: '127.0.0.1',
    ...proxied,
    headers: forwarded,
    serves: 'app',
    counts: '127.0.0.1',
  },
  {
    layout: 'Caddy as documented',
    env: behind,
    peer: '127.0.0.1',
    ...proxied,
    headers: forwarded,
    serves: 'app',
    counts: client,
  },
  {
    layout: 'a function or script, behind Caddy',
    env: behind,
    peer: '127.0.0.1',
    ...proxied,
    host: '127.0.0.1:4000',
    serves: 'program',
    counts: '127.0.0.1',
  },
  {
    layout: 'proxy on another machine',
    env: { ...place, LISTEN: '0.0.0.0', TRUSTED_PROXIES: '10.0.0.2' },
    peer: '::ffff:10.0.0.2',
    host: publicHost,
    headers: forwarded,
    serves: 'app',
    counts: client,
    functionsUrl: place.PUBLIC_ORIGIN,
  },
  {
    layout: 'past that proxy',
    env: { ...place, LISTEN: '0.0.0.0', TRUSTED_PROXIES: '10.0.0.2' },
    peer: '10.0.0.9',
    host: publicHost,
    headers: spoofed,
    serves: 'app',
    counts: '10.0.0.9',
    functionsUrl: place.PUBLIC_ORIGIN,
  },
  {
    layout: 'bare on a public listener',
    env: { LISTEN: '0.0.0.0', PUBLIC_ORIGIN: 'http://192.168.1.20:4000', PREVIEW_HOST: 'none' },
    peer: '192.168.1.31',
    host: '192.168.1.20:4000',
    headers: spoofed,
    serves: 'app',
    counts: '192.168.1.31',
    functionsUrl: 'http://192.168.1.20:4000',
  },
  {
    layout: 'a public listener, by the names of the machine',
    env: { LISTEN: '0.0.0.0', PUBLIC_ORIGIN: 'http://192.168.1.20:4000', PREVIEW_HOST: 'none' },
    peer: '192.168.1.31',
    host: 'localhost:4000',
    serves: 'program',
    counts: '192.168.1.31',
    functionsUrl: 'http://192.168.1.20:4000',
  },
  {
    layout: 'several processes on one port',
    env: { SHARE_PORT: 'true', BACKEND_URL: 'http://127.0.0.1:4001' },
    peer: '127.0.0.1',
    ...bare,
    serves: 'app',
    counts: '127.0.0.1',
  },
  {
    layout: 'the backend of several processes',
    env: { PORT: '4001', PUBLIC_ORIGIN: 'http://vitrine.localhost:4000' },
    peer: '127.0.0.1',
    host: 'vitrine.localhost:4000',
    headers: { ...forwarded, 'x-vitrine-process': 'token' },
    serves: 'app',
    counts: client,
    functionsUrl: 'http://127.0.0.1:4001',
  },
  {
    layout: 'a page of 127.0.0.1 before that backend',
    env: { PORT: '4001', PUBLIC_ORIGIN: 'http://vitrine.localhost:4000' },
    peer: '127.0.0.1',
    host: '127.0.0.1:4000',
    serves: 'app',
    counts: '127.0.0.1',
    functionsUrl: 'http://127.0.0.1:4001',
  },
  {
    layout: 'someone who plays such a process',
    env: { PORT: '4001', PUBLIC_ORIGIN: 'http://vitrine.localhost:4000' },
    peer: '127.0.0.1',
    host: 'vitrine.localhost:4000',
    headers: { ...spoofed, 'x-vitrine-process': 'guess' },
    serves: 'app',
    counts: '127.0.0.1',
    functionsUrl: 'http://127.0.0.1:4001',
  },
  {
    layout: 'a database of one’s own',
    env: { ...behind, DATABASE_URL: 'postgres://vitrine@db/vitrine' },
    peer: '127.0.0.1',
    ...proxied,
    headers: forwarded,
    serves: 'app',
    counts: client,
  },
  {
    layout: 'with a mail server',
    env: { ...behind, SMTP_URL: 'smtp://mail' },
    peer: '127.0.0.1',
    ...proxied,
    headers: forwarded,
    serves: 'app',
    counts: client,
    keepsMail: false,
  },
  {
    layout: 'a hosted backend',
    env: { ...behind, SUPABASE_URL: 'https://x.example.net', SUPABASE_PUBLISHABLE_KEY: 'k' },
    peer: '127.0.0.1',
    ...proxied,
    headers: forwarded,
    serves: 'app',
    counts: client,
    keepsMail: false,
  },
  {
    layout: 'with metrics',
    env: { ...behind, METRICS_PORT: '9464' },
    peer: '127.0.0.1',
    ...proxied,
    headers: forwarded,
    serves: 'app',
    counts: client,
    metricsPort: 9464,
  },
];

test.each(layouts)('PT-01.2: $layout', (o) => {
  const settings = parseSettings(o.env);
  const layout = getDeploymentConfig(settings);
  const readAddress = createClientAddressReader({
    trustedProxies: layout.trustedProxies,
    publicOrigin: settings.publicOrigin,
    processToken: 'token',
    warn() {},
  });
  const headers = { host: o.host, ...o.headers };
  expect({
    serves: createHosts(settings, layout).classify(o.host).kind,
    counts: readAddress({ socket: { remoteAddress: o.peer }, headers }),
    functionsUrl: layout.functionsUrl,
    keepsMail: layout.hasMailOutbox,
    metricsPort: settings.metricsPort,
  }).toEqual({
    serves: o.serves,
    counts: o.counts,
    functionsUrl: o.functionsUrl,
    keepsMail: o.keepsMail ?? true,
    metricsPort: o.metricsPort ?? null,
  });
});

describe('a request’s host', () => {
  const settings = parseSettings({});
  const hosts = createHosts(settings, getDeploymentConfig(settings));

  test.each([
    ['vitrine.localhost:4000', 'app'],
    ['VITRINE.localhost:4000', 'app'],
    ['localhost:4000', 'app'],
    ['127.0.0.1:4000', 'app'],
    ['abcdefghij.vitrine.localhost:4000', 'preview'],
    ['edit--abcdefghij.vitrine-preview.localhost:4000', 'preview'],
    ['vitrine-preview.localhost:4000', 'preview'],
    ['evil.test', 'unknown'],
    ['evil.test:4000', 'unknown'],
    ['vitrine.localhost:4001', 'unknown'],
    ['vitrine.localhost:4000.evil.test', 'unknown'],
    ['', 'unknown'],
  ])('%j is %s', (host, kind) => {
    expect(hosts.classify(host).kind).toBe(kind);
  });

  test('has one origin, even if the public host is a local name', () => {
    for (const PUBLIC_ORIGIN of ['https://127.0.0.1:8443', 'http://localhost:4000']) {
      const own = parseSettings({ PUBLIC_ORIGIN });
      const { host } = new URL(PUBLIC_ORIGIN);
      const { appOrigins, classify } = createHosts(own, getDeploymentConfig(own));
      expect(classify(host)).toEqual({ kind: 'app', origin: PUBLIC_ORIGIN });
      expect(new Set(appOrigins.map((origin) => new URL(origin).host)).size).toBe(
        appOrigins.length,
      );
    }
  });

  test('serves no pages under local names if the public origin is remote', () => {
    const open = parseSettings(place);
    expect(createHosts(open, getDeploymentConfig(open)).appOrigins).toEqual([place.PUBLIC_ORIGIN]);
  });
});

/** Normalizes a response: replaces nonces, times, scripts and the requested name. */
function comparable({ status, headers, body }: Answer, name: string) {
  const { date: _, 'content-security-policy': policy, ...rest } = headers;
  const text = body.replace(/<script\b.*?<\/script>|<link\b[^>]*>/gs, '').replaceAll(name, '');
  return { status, rest, policy: policy?.toString().replace(/nonce-[^']+/g, ''), text };
}

/** An attacker who requested a password reset for another user looks for the email. */
async function lookForMail(request: Vitrine['request'], email: string): Promise<string[]> {
  const found: string[] = [];
  const attempts: Readonly<Record<string, string>>[] = [
    {},
    { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1', forwarded: 'for=127.0.0.1' },
    { 'x-forwarded-host': 'localhost', 'x-forwarded-proto': 'http' },
    { cookie: '__Host-vitrine-outbox=; vitrine-outbox=' },
    { cookie: `__Host-vitrine-outbox=${'A'.repeat(43)}; vitrine-outbox=${'A'.repeat(43)}` },
  ];
  for (const headers of attempts) {
    for (const path of [
      '/outbox',
      '/outbox.data',
      '/outbox/',
      `/outbox?token=${'A'.repeat(43)}`,
      '/outbox?token=',
    ]) {
      const answer = await request(path, { headers: { ...navigation, ...headers } });
      if (answer.body.includes(email) || answer.headers['set-cookie'])
        found.push(`${path} ${answer.status}`);
    }
  }
  return found;
}

/** Shared by all servers here, one after the other, as after a restart. */
const dataDir = mkdtempSync(join(tmpdir(), 'vitrine-layout-'));
chmodSync(dataDir, 0o711);
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

describe.each<{ kind: ProxyKind; name: string; env: Readonly<Record<string, string>> }>([
  { kind: 'forwarded port', name: 'ada', env: {} },
  { kind: 'nginx', name: 'bea', env: {} },
  { kind: 'Caddy', name: 'cleo', env: { ...place, PREVIEW_HOST: 'none' } },
  { kind: 'nginx as documented', name: 'dan', env: { ...behind, PREVIEW_HOST: 'none' } },
])('behind $kind with $env', ({ kind, name, env }) => {
  let vitrine: Vitrine;
  let proxy: Proxy;
  const email = `${name}@example.org`;
  const throughProxy = (path: string, asked: Asked = {}) =>
    ask(proxy.port, path, { host: vitrine.host, ...asked });

  beforeAll(async () => {
    vitrine = await startVitrine({ DATA_DIR: dataDir, ...env });
    proxy = await startProxy(kind, vitrine.port);
    await vitrine.signUp(name);
    const page = await vitrine.request('/', { headers: navigation });
    const asked = await throughProxy('/auth/v1/recover', {
      method: 'POST',
      headers: {
        apikey: /sb_publishable_[\w-]+/.exec(page.body)?.[0] ?? '',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ email }),
    });
    expect(asked.status).toBe(200);
  }, 60_000);
  afterAll(async () => {
    await proxy.close();
    await vitrine.close();
  });

  test('PT-01.1: an attacker finds no email, and the outbox page does not exist', async () => {
    // Emails are written after the response. This is the administrator's browser, without the
    // proxy.
    await expect.poll(() => hasMail(vitrine, email), { timeout: 15_000 }).toBe(true);
    expect(await lookForMail(throughProxy, email)).toEqual([]);
    for (const query of ['', '?token=wrong']) {
      const outbox = await throughProxy(`/outbox${query}`, { headers: navigation });
      const nothing = await throughProxy(`/nothere${query}`, { headers: navigation });
      expect(comparable(outbox, 'outbox')).toEqual(comparable(nothing, 'nothere'));
    }
  });

  test('PT-01.3: the link in the startup output opens it through the proxy', async () => {
    const operator = { outboxLink: vitrine.outboxLink, request: throughProxy };
    await expect.poll(() => hasMail(operator, email), { timeout: 15_000 }).toBe(true);
    expect((await openOutbox(operator)).headers).toMatchObject({
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
    });
  });
});

describe('PT-01.7: the outbox cookie', () => {
  let vitrine: Vitrine;
  let opened: Answer;
  let cookie: string;
  beforeAll(async () => {
    vitrine = await startVitrine({ DATA_DIR: dataDir });
    const { pathname, search } = new URL(vitrine.outboxLink ?? '');
    opened = await vitrine.request(pathname + search, { headers: navigation });
    [cookie = ''] = (opened.headers['set-cookie']?.[0] ?? '').split(';');
  }, 60_000);
  afterAll(() => vitrine.close());

  test('belongs only to the app’s host, is HttpOnly, and its URL is not cached or sent as referrer', () => {
    const attributes = (opened.headers['set-cookie']?.[0] ?? '').split('; ').slice(1);
    expect(cookie).toMatch(/^__Host-vitrine-outbox=[\w-]{43}$/);
    expect(attributes.toSorted()).toEqual([
      'HttpOnly',
      'Max-Age=2592000',
      'Path=/',
      'Priority=High',
      'SameSite=Lax',
      'Secure',
    ]);
    expect(opened.headers).toMatchObject({
      location: '/outbox',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    expect(vitrine.log.join('')).not.toContain(cookie.split('=')[1]);
  });

  test.each([
    [
      'a preview’s fetch',
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' },
    ],
    ['a preview’s frame', { 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'iframe' }],
    [
      'another site’s image',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
    ],
  ])('does not grant access to %s, and neither does the link', async (_, headers) => {
    const { pathname, search } = new URL(vitrine.outboxLink ?? '');
    for (const path of ['/outbox', '/outbox.data', pathname + search]) {
      const answer = await vitrine.request(path, {
        headers: { ...navigation, ...headers, cookie },
      });
      expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined]);
    }
  });

  test('is not sent to preview hosts, and grants no access there', async () => {
    const host = `abcdefghij.${vitrine.host}`;
    const answer = await vitrine.request('/outbox', { host, headers: { ...navigation, cookie } });
    expect(answer.status).toBe(404);
  });

  test('works next to cookies of the same name that a page planted', async () => {
    const [name = ''] = cookie.split('=');
    const planted = `${name}=x; ${cookie}; ${name}=y`;
    const asked = (text: string) =>
      vitrine.request('/outbox', { headers: { ...navigation, cookie: text } });
    expect((await asked(planted)).status).toBe(200);
    for (const wrong of [
      `${name}=x`,
      `${name}=`,
      cookie.slice(0, -1),
      `${cookie}A`,
      `\u2000${cookie}`,
    ])
      expect((await asked(Buffer.from(wrong).toString('latin1'))).status).toBe(404);
  });

  test('is ignored in a request of unknown origin', async () => {
    expect((await vitrine.request('/outbox', { headers: { cookie } })).status).toBe(404);
  });
});

/** Whether the outbox that this link opens has an email to this address. */
async function hasMail(from: Pick<Vitrine, 'outboxLink' | 'request'>, email: string) {
  return (await openOutbox(from)).body.includes(email);
}

/** Follows the link like a browser: with its redirect and cookie. */
async function openOutbox({
  outboxLink,
  request,
}: Pick<Vitrine, 'outboxLink' | 'request'>): Promise<Answer> {
  const { pathname, search } = new URL(outboxLink ?? '');
  const first = await request(pathname + search, { headers: navigation });
  expect([first.status, first.headers.location]).toEqual([303, '/outbox']);
  const [cookie = ''] = (first.headers['set-cookie']?.[0] ?? '').split(';');
  return request('/outbox', { headers: { ...navigation, cookie } });
}
