import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '@vitrine/project';
import {
  openTestBackend,
  signUpConfirmed,
  type Browser,
  type TestBackend,
} from '@vitrine/testing/backend';

const root = resolve(import.meta.dirname, '../../..');
let world: TestBackend;
let ada: Browser;
let project: string;
let close: () => Promise<unknown>;

beforeAll(async () => {
  let answer = async (_request: Request) => new Response(null, { status: 503 });
  const server = createServer(getRequestListener((request) => answer(request)));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const cacheDir = await mkdtemp(join(tmpdir(), 'vitrine-invite-'));
  const url = `http://127.0.0.1:${port}`;
  const functions = { folder: join(root, 'supabase'), denoPath: undefined, cacheDir, url };
  world = await openTestBackend({ functions });
  answer = (request) => world.backend.fetch(request);
  close = async () => {
    await world.close();
    server.closeAllConnections();
    server.close();
    await rm(cacheDir, { recursive: true });
  };
  ada = await signUpConfirmed(world, 'ada@example.com');
  const state = Buffer.from('state');
  const { data } = await ada.client.rpc('create_project', {
    id: randomUUID(),
    title: 'Boids\r\nBcc: mallory <b>',
    description: '',
    visibility: 'private',
    settings: {},
    files: [],
    state: state.toString('base64'),
    state_sha256: createHash('sha256').update(state).digest('hex'),
  });
  project = data.id;
});
afterAll(() => close());

async function invite({ client }: Browser, body: Record<string, unknown>) {
  const { data, error, response } = await client.functions.invoke('invite-by-email', { body });
  const result: Record<string, unknown> = error ? await response?.json() : data;
  return { status: response?.status, ...result };
}

test('mails the link, which only the invited account can use', async () => {
  const bob = await signUpConfirmed(world, 'bob@example.com');
  const eve = await signUpConfirmed(world, 'eve@example.com');
  const before = await world.readMail('bob@example.com');
  const result = await invite(ada, {
    project,
    email: ' Bob@Example.com',
    role: 'viewer',
    days: 7,
  });
  expect(result).toMatchObject({ status: 200, sent: true, role: 'viewer', kind: 'email' });
  const mail = await world.readMail('Bob@Example.com', { after: before });
  expect(mail.subject).toBe('ada invited you to “Boids Bcc: mallory <b>”');
  expect(mail.html).not.toContain('<b>');
  const token = /^https:\/\/app\.test\/invitations\/([\w-]{43})$/m.exec(mail.text)?.[1];
  const accept = ({ client }: Browser) => client.rpc('accept_invitation', { invitation: token });
  expect((await accept(eve)).error?.message).toBe('invitation_not_yours');
  expect((await accept(bob)).data).toMatchObject({ role: 'viewer', username: 'ada' });
});

describe('DB-71: a mail to a stranger', () => {
  const subjectFor = async (title: string, name: string) => {
    const address = `${randomUUID()}@example.com`;
    const { user } = (await ada.client.auth.getUser()).data;
    await ada.client.from('projects').update({ title }).eq('id', project);
    await ada.client
      .from('profiles')
      .update({ display_name: name })
      .eq('id', user?.id ?? '');
    await world.database.sql`delete from public.invitations`;
    expect(await invite(ada, { project, email: address, role: 'editor', days: 1 })).toMatchObject({
      sent: true,
    });
    const mail = await world.readMail(address);
    // The only link is that to the invitation.
    expect(mail.text.match(/https?:/g)).toHaveLength(1);
    return mail.subject;
  };

  test.each([
    'Win at https://evil.example',
    'Win at evil.com/now',
    'www.evil.xn--p1ai',
    'evil。рф',
    'ｅｖｉｌ．ｃｏｍ',
    'three.js.evil.com',
    'three.js/evil',
    'write to a@b.c',
    'mailto:eve',
    'call +1 (800) 555-0199',
  ])('says neither the title nor the name “%s”', async (text) => {
    expect(await subjectFor(text, text.slice(0, 80))).toBe('ada invited you to a project');
  });

  test.each(['Three.js', 'Boids 2.0', 'main.css, e.g.', 'évil · @ada', '16:9'])(
    'says “%s”',
    async (text) => {
      expect(await subjectFor(text, text)).toBe(`${text} invited you to “${text}”`);
    },
  );

  test('isn’t sent once the address has got many, and the link can be', async () => {
    const address = `${randomUUID()}@example.com`;
    const hash = createHash('sha256').update(address).digest('hex');
    await world.database.sql`insert into private.attempts (subject, action, minute, amount)
      values (${hash}, 'mail_address', date_trunc('minute', now()), ${limits.mailsPerAddressPerDay})`;
    const result = await invite(ada, { project, email: address, role: 'viewer', days: 7 });
    expect(result).toMatchObject({ status: 200, sent: false, token: expect.any(String) });
    expect(result).not.toHaveProperty('may_mail');
    expect(await world.countMails(address)).toBe(0);
  });
});

test('responds with the database’s code, and mails nothing', async () => {
  const mallory = await signUpConfirmed(world, 'mallory@example.com');
  const terms = { project, role: 'editor', days: 7 };
  const other = { ...terms, email: 'nobody@example.com' };
  expect(await invite(mallory, other)).toEqual({ status: 404, code: 'not_found_or_private' });
  expect(await invite(world.openBrowser(), other)).toEqual({
    status: 401,
    code: 'session_expired',
  });
  for (const email of ['', 'nobody', 'nobody@example.com,eve@example.com', 7, null])
    expect(await invite(ada, { ...terms, email })).toEqual({ status: 422, code: 'email_invalid' });
  expect(await invite(ada, { ...other, role: 'owner' })).toEqual({
    status: 422,
    code: 'bad_request',
  });
  expect(await world.countMails('nobody@example.com')).toBe(0);
});
