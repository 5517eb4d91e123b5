import { afterAll, beforeAll, expect, test } from 'vitest';
import { navigation, startVitrine, type Vitrine } from './vitrine.ts';

let vitrine: Vitrine;

beforeAll(async () => {
  // As behind a proxy that terminates HTTPS: plain HTTP arrives for the public host.
  vitrine = await startVitrine({
    PUBLIC_ORIGIN: 'https://play.example.com',
    PREVIEW_HOST: 'play.example.net',
  });
}, 60_000);
afterAll(() => vitrine.close());

test.each(['play.example.com', 'play.example.net'])(
  'behind HTTPS, an access URL opens a private preview under %s over HTTPS',
  async (host) => {
    const key = 'abcdefghij';
    const { cookie } = await vitrine.signUp(host.replace(/\W/g, '-'));
    const asked = await vitrine.request(`/@ann/${key}/entry`, {
      method: 'POST',
      headers: {
        cookie,
        origin: vitrine.origin,
        'sec-fetch-site': 'same-origin',
        'user-agent': navigation['user-agent'],
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ key, origin: `https://${key}.${host}` }).toString(),
    });
    expect(asked.status).toBe(200);
    const entry = new URL(JSON.parse(asked.body).entry);
    expect(entry.origin).toBe(`https://${key}.${host}`);
    const entered = await vitrine.request(entry.pathname + entry.search, { host: entry.host });
    expect(entered.headers.location).toBe(`https://${key}.${host}/`);
    expect(entered.headers['set-cookie']?.[0]).toContain('__Host-vitrine-preview=');
  },
);
