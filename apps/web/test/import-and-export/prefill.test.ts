import { connect } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { navigation, startVitrine, type Vitrine } from '../vitrine.ts';

let vitrine: Vitrine;
let cookie: string;

beforeAll(async () => {
  vitrine = await startVitrine();
  ({ cookie } = await vitrine.signUp('ann'));
}, 60_000);
afterAll(async () => {
  await vitrine.close();
});

const form = 'application/x-www-form-urlencoded';
const fromOther = { ...navigation, origin: 'https://docs.example', 'sec-fetch-site': 'cross-site' };

function post(body: string, headers: Readonly<Record<string, string>> = {}) {
  return vitrine.request('/prefill', {
    method: 'POST',
    body,
    headers: { ...fromOther, 'content-type': form, ...headers },
  });
}

/** What the page stores in the tab. */
function readStored(body: string): unknown {
  return JSON.parse(/<script id="posted"[^>]*>([^]*?)<\/script>/.exec(body)?.[1] ?? '');
}

describe('WB-15: POST /prefill', () => {
  test('takes a form of any site and gives it to the tab, with its origin', async () => {
    const { status, headers, body } = await post('data=%7B%22html%22%3A%22%C3%BC%22%7D&b=1&b=2');
    expect(status).toBe(200);
    expect(readStored(body)).toEqual({
      from: 'https://docs.example',
      fields: [
        ['data', '{"html":"ü"}'],
        ['b', '1'],
        ['b', '2'],
      ],
    });
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  test('neither reads nor changes the session', async () => {
    const withSession = await post('files=a', { cookie });
    const without = await post('files=a');
    expect(withSession.headers['set-cookie']).toBeUndefined();
    const mask = (body: string) => body.replace(/nonce="[^"]*"/, '');
    expect(mask(withSession.body)).toBe(mask(without.body));
    const page = await vitrine.request('/', { headers: { ...navigation, cookie } });
    expect(page.body).toContain('Recent work');
  });

  test('runs only its own script, whatever was posted', async () => {
    const hostile = '</script><script>alert(1)</script><!--';
    const { headers, body } = await post(`data=${encodeURIComponent(hostile)}`);
    const policy = String(headers['content-security-policy']);
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
    expect(policy).toBe(
      `default-src 'none'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'`,
    );
    expect(body.match(/<script\b[^>]*>/g)).toEqual([
      '<script id="posted" type="application/json">',
      `<script nonce="${nonce}">`,
    ]);
    expect(readStored(body)).toMatchObject({ fields: [['data', hostile]] });
    expect((await post('data=a')).body).not.toContain(nonce);
  });

  test.each([
    ['null', undefined],
    ['javascript:alert(1)', undefined],
    ['https://a.example/path', 'https://a.example'],
    [`https://${'a'.repeat(400)}.example`, undefined],
  ])('from the origin %s', async (origin, from) => {
    const { body } = await post('data=a', { origin });
    expect(readStored(body)).toEqual({ from, fields: [['data', 'a']] });
  });

  test('in a frame, or by a script, is rejected', async () => {
    for (const destination of ['iframe', 'empty', 'image'])
      expect((await post('data=a', { 'sec-fetch-dest': destination })).status).toBe(403);
  });

  test('of more than 2 MB, however it is sent, is rejected', async () => {
    const large = `data=${'a'.repeat(2 * 1024 * 1024)}`;
    const refused = { fields: [], error: 'post_too_large' };
    const declared = await post(large, { 'content-length': String(large.length) });
    expect(declared.status).toBe(413);
    expect(readStored(declared.body)).toMatchObject(refused);
    const chunked = await post(large, { 'transfer-encoding': 'chunked' });
    expect(chunked.status).toBe(413);
    expect(readStored(chunked.body)).toMatchObject(refused);
    expect((await post(large.slice(6))).status).toBe(200);
  });

  test('that isn’t a form or JSON, or has too many fields, is rejected', async () => {
    for (const [body, type] of [
      ['a', 'text/plain'],
      ['a', 'multipart/form-data; boundary=x'],
      ['a=1&'.repeat(501), form],
    ] as const) {
      const answer = await post(body, { 'content-type': type });
      expect(answer.status).toBe(400);
      expect(readStored(answer.body)).toMatchObject({ fields: [], error: 'post_unreadable' });
    }
    const json = await post('{"files":{}}', { 'content-type': 'application/json; charset=utf-8' });
    expect(readStored(json.body)).toMatchObject({ fields: [['json', '{"files":{}}']] });
  });

  test('takes multipart forms without their files', async () => {
    const part = (name: string, value: string, more = '') =>
      `--x\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
    const { body } = await post(
      `${part('data', '{}')}${part('file', 'bytes', '; filename="a.bin"')}--x--\r\n`,
      { 'content-type': 'multipart/form-data; boundary=x' },
    );
    expect(readStored(body)).toMatchObject({ fields: [['data', '{}']] });
  });

  test('that is never sent whole keeps nothing once its sender is gone', async () => {
    const socket = connect(vitrine.port, '127.0.0.1');
    socket.write(
      `POST /prefill HTTP/1.1\r\nHost: ${vitrine.host}\r\nContent-Type: ${form}\r\nContent-Length: 100\r\n\r\ndata=`,
    );
    await once(socket, 'connect');
    socket.destroy();
    expect((await post('data=a')).status).toBe(200);
    expect(vitrine.log.filter((line) => line.includes('error'))).toEqual([]);
  });
});

test('GET /prefill is no page, and other addresses take no post of another site', async () => {
  expect((await vitrine.request('/prefill', { headers: navigation })).status).toBe(404);
  for (const path of ['/prefill/', '/prefill/a', '/new', '/%70refill'])
    expect((await vitrine.request(path, { method: 'POST', headers: fromOther })).status).toBe(403);
});
