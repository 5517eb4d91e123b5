import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestBackend, signUpConfirmed } from '@vitrine/testing/backend';
import type { Browser, TestBackend } from '@vitrine/testing/backend';

let world: TestBackend;
let browser: Browser;
let first: string;
let people = 0;

beforeAll(async () => {
  world = await openTestBackend();
});
afterAll(() => world.close());

beforeEach(async () => {
  browser = await signUpConfirmed(world, `person${(people += 1)}@example.com`);
  first = (await browser.client.auth.getSession()).data.session?.refresh_token ?? '';
});

interface Answer {
  refresh_token: string;
  access_token: string;
  code: string;
}

async function refresh(token: string): Promise<Answer> {
  const answer = await browser.request('/auth/v1/token?grant_type=refresh_token', {
    method: 'POST',
    headers: { 'x-supabase-api-version': '2024-01-01' },
    body: JSON.stringify({ refresh_token: token }),
  });
  return (await answer.json()) as Answer;
}

/** Moves the reuse window of ten seconds into the past, in the database. */
async function passTime() {
  await world.database
    .sql`update auth.refresh_tokens set updated_at = updated_at - interval '11 seconds'`;
}

test('rotates the refresh token, in the same session', async () => {
  const session = (await browser.client.auth.getSession()).data.session?.access_token ?? '';
  const second = await refresh(first);
  const third = await refresh(second.refresh_token);
  expect(new Set([first, second.refresh_token, third.refresh_token]).size).toBe(3);
  expect(decodeJwt(third.access_token)['session_id']).toBe(decodeJwt(session)['session_id']);
});

test('PT-02.12 rejects a session past its not_after', async () => {
  expect((await browser.client.auth.getUser()).error).toBeNull();
  await world.database.sql`update auth.sessions set not_after = now()`;
  expect((await browser.client.auth.getUser()).error?.name).toBe('AuthSessionMissingError');
  expect((await refresh(first)).code).toBe('refresh_token_not_found');
});

test('AU-07 gives tabs that refresh at once the same next token', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(first)));
  const tokens = new Set(answers.map((answer) => answer.refresh_token));
  expect(tokens.size).toBe(1);
  expect([...tokens][0]).toBeTruthy();
  const [live] = await world.database.sql`
    select count(*)::int as count from auth.refresh_tokens t join auth.sessions s on s.id = t.session_id
    where not revoked and s.id = ${String(decodeJwt(answers[0]?.access_token ?? '')['session_id'])}`;
  expect(live?.['count']).toBe(1);
});

test('gives a client that lost the response the same next token, also later', async () => {
  const second = await refresh(first);
  await passTime();
  expect((await refresh(first)).refresh_token).toBe(second.refresh_token);
});

test('ends the session when a used token is reused', async () => {
  const second = await refresh(first);
  const third = await refresh(second.refresh_token);
  await passTime();
  expect((await refresh(first)).code).toBe('refresh_token_already_used');
  expect((await refresh(third.refresh_token)).code).toBe('refresh_token_not_found');
  const { error } = await browser.client.auth.getUser(third.access_token);
  expect(error?.name).toBe('AuthSessionMissingError');
});

test('accepts a used token within ten seconds', async () => {
  const second = await refresh(first);
  const third = await refresh(second.refresh_token);
  expect((await refresh(first)).refresh_token).toBe(third.refresh_token);
});

test('stores no plain refresh token, link or code', async () => {
  const rows = await world.database.sql`
    select to_jsonb(t)::text as row from auth.refresh_tokens t
    union all select to_jsonb(f)::text from auth.flow_state f
    union all select to_jsonb(o)::text from auth.one_time_tokens o`;
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.some((row) => String(row['row']).includes(first))).toBe(false);
});

test('rejects a banned user', async () => {
  await world.database.sql`update auth.users set banned_until = now() + interval '1 day'`;
  expect((await refresh(first)).code).toBe('user_banned');
  await world.database.sql`update auth.users set banned_until = null`;
});
