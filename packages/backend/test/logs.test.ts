import { expect, test } from 'vitest';
import { followMail, openTestBackend } from '@vitrine/testing/backend';
import type { LogFields, Log } from '../src/index.ts';
import { connectDatabase } from '../src/postgres/index.ts';

test('WB-20 logs no password, email, token, code or link', async () => {
  const lines: string[] = [];
  const write = (message: string, fields?: LogFields) =>
    void lines.push(JSON.stringify([message, fields]));
  const log: Log = { info: write, warn: write, error: write };
  const world = await openTestBackend({ log });
  const { client, request } = world.openBrowser();
  const email = 'canary@example.com';
  const password = 'canary horse battery';
  await client.auth.signUp({ email, password, options: { data: { username: 'canary' } } });
  const mail = await world.readMail(email);
  const code = (await followMail(world.backend, mail)).searchParams.get('code') ?? '';
  const { data } = await client.auth.exchangeCodeForSession(code);
  const { access_token: access, refresh_token: first } = data.session ?? {
    access_token: '',
    refresh_token: '',
  };
  await client.auth.signInWithPassword({ email, password: `${password} wrong` });
  const refresh = (token: string) =>
    request('/auth/v1/token?grant_type=refresh_token', {
      method: 'POST',
      body: JSON.stringify({ refresh_token: token }),
    });
  const { refresh_token: second } = (await (await refresh(first)).json()) as {
    refresh_token: string;
  };
  await refresh(second);
  await world.database.sql`update auth.refresh_tokens set updated_at = now() - interval '1 minute'`;
  await refresh(first);
  const admin = connectDatabase(world.database.addressAs('supabase_auth_admin'), { max: 1 });
  await admin`alter table auth.users add constraint broken check (email = '') not valid`;
  await client.auth.signUp({
    email: `x${email}`,
    password,
    options: { data: { username: 'canary-two' } },
  });
  await admin`drop table auth.one_time_tokens`;
  await admin.end();
  await request(`/auth/v1/verify?token=${code}&type=signup`);
  await world.close();
  expect(lines.length).toBeGreaterThan(2);
  const secrets = ['canary', access, first, second, code, world.backend.secretKey];
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(5);
    expect(lines.filter((line) => line.includes(secret))).toEqual([]);
  }
});
