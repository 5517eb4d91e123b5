import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readEverything, getRejectionCode, rollBackAfter } from './schema-attempts.ts';
import { appendUpdates, createProject, createUpdate } from '@vitrine/testing/schema-calls';
import { addUser, claimsOf, openWorld, testUserIds, projects } from '@vitrine/testing/schema-world';
import type { Role, SchemaWorld } from '@vitrine/testing/schema-world';

let world: SchemaWorld;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** Returns the code with which a sign-up is rejected. */
const refuseSignUp = (username?: string) =>
  world.sql.begin((tx) =>
    getRejectionCode(tx, (attempt) => addUser(attempt, randomUUID(), username)),
  );

describe('sign-up', () => {
  test('creates a profile with the requested username', async () => {
    const id = randomUUID();
    await addUser(world.sql, id, 'grace');
    const [profile] = await world.sql`select * from public.profiles where id = ${id}`;
    expect(profile).toMatchObject({ username: 'grace', role: 'member', suspended_at: null });
  });

  test('creates a profile without a username when none was requested', async () => {
    const id = randomUUID();
    await addUser(world.sql, id);
    const [profile] = await world.sql`select username from public.profiles where id = ${id}`;
    expect(profile).toEqual({ username: null });
  });

  test('is rejected completely when the username is taken', async () => {
    const id = randomUUID();
    const answer = await world.sql.begin((tx) =>
      getRejectionCode(tx, (attempt) => addUser(attempt, id, 'the-owner')),
    );
    expect(answer).toBe('username_taken');
    expect(await world.sql`select from auth.users where id = ${id}`).toHaveLength(0);
  });

  test('reports a reserved username as taken and a malformed one as invalid', async () => {
    expect(await refuseSignUp('admin')).toBe('username_taken');
    expect(await refuseSignUp('Ada')).toBe('invalid_username');
    expect(await refuseSignUp('a--b')).toBe('invalid_username');
    expect(await refuseSignUp('-ab')).toBe('invalid_username');
    expect(await refuseSignUp('ab')).toBe('invalid_username');
    expect(await refuseSignUp('a'.repeat(31))).toBe('invalid_username');
  });

  test('gives a username to one of two concurrent sign-ups', async () => {
    const results = await Promise.allSettled(
      [randomUUID(), randomUUID()].map((id) => addUser(world.sql, id, 'contested')),
    );
    expect(results.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = results.find((result) => result.status === 'rejected');
    expect(refused?.reason).toMatchObject({ code: 'PT409', message: 'username_taken' });
  });
});

const isAvailable = async (name: string) => {
  const [row] = await world.runAs(
    'anon',
    (tx) => tx<{ answer: boolean }[]>`
    select public.username_available(${name}) as answer`,
  );
  return row?.answer;
};

describe('usernames', () => {
  test('are available while nobody uses them', async () => {
    expect(await isAvailable('nobody-yet')).toBe(true);
    expect(await isAvailable('the-owner')).toBe(false);
    expect(await isAvailable('moderation')).toBe(false);
    expect(await isAvailable('No Name')).toBe(false);
  });

  test('are chosen once', async () => {
    const id = randomUUID();
    await addUser(world.sql, id);
    await world.runAs(
      id,
      (tx) => tx`update public.profiles set username = 'late-choice' where id = ${id}`,
    );
    const again = await world.runAs(id, (tx) =>
      getRejectionCode(
        tx,
        (attempt) => attempt`update public.profiles set username = 'other' where id = ${id}`,
      ),
    );
    expect(again).toBe('not_allowed');
  });

  test('cannot be taken over with an update', async () => {
    const id = randomUUID();
    await addUser(world.sql, id);
    const answer = await world.runAs(id, (tx) =>
      getRejectionCode(
        tx,
        (attempt) => attempt`update public.profiles set username = 'the-owner' where id = ${id}`,
      ),
    );
    expect(answer).toBe('username_taken');
  });
});

describe('a profile', () => {
  test.each(['id', 'role', 'suspended_at', 'created_at', 'updated_at'])(
    'does not let its owner write %s',
    async (column) => {
      const before = await readEverything(world.sql);
      await world.runAs('owner', async (tx) => {
        await expect(
          tx.savepoint(
            (attempt) => attempt`update public.profiles
            set ${attempt(column)} = ${attempt(column)} where id = ${testUserIds.owner}`,
          ),
        ).rejects.toMatchObject({ code: '42501' });
      });
      expect(await readEverything(world.sql)).toBe(before);
    },
  );
});

describe('PT-07.6: role and suspension of a profile', () => {
  const ask = (who: Role, query: string) => world.runAs(who, (tx) => tx.unsafe(query));

  test.each(['anon', 'stranger', 'owner', 'moderator', 'admin'] as const)(
    'are not readable by %s, who can still read the profile',
    async (who) => {
      const columns =
        'id, username, display_name, bio, website, avatar_path, created_at, updated_at';
      for (const query of [
        'select * from public.profiles',
        'select role from public.profiles',
        'select suspended_at from public.profiles',
        'select to_jsonb(p) from public.profiles p',
        `select id from public.profiles where role = 'admin'`,
        'select id from public.profiles where suspended_at is not null',
        'select id from public.profiles order by role',
        'select count(*) from public.profiles group by role',
        `update public.profiles set bio = 'x' where role = 'admin'`,
        `update public.profiles set bio = 'x' where id = '${testUserIds.owner}' returning suspended_at`,
        `select slug from public.projects p join public.profiles o on o.id = p.owner_id
          where o.role = 'admin'`,
      ]) {
        await expect(ask(who, query), query).rejects.toMatchObject({ code: '42501' });
      }
      expect(await ask(who, `select ${columns} from public.profiles`)).not.toHaveLength(0);
    },
  );

  test('are readable by the user, moderators and admins', async () => {
    const statusFor = async (who: Role, person: string) => {
      const [row] = await ask(who, `select public.account_status('${person}') as status`);
      return row?.['status'] as unknown;
    };
    expect(await statusFor('suspended', testUserIds.suspended)).toEqual({
      role: 'member',
      suspended_at: expect.any(String),
    });
    for (const who of ['admin', 'moderator'] as const) {
      expect(await statusFor(who, testUserIds.suspended)).toMatchObject({ role: 'member' });
      expect(await statusFor(who, testUserIds.admin)).toEqual({
        role: 'admin',
        suspended_at: null,
      });
    }
    for (const who of ['stranger', 'owner', 'suspended'] as const) {
      expect(await statusFor(who, testUserIds.admin)).toBeNull();
    }
    expect(await statusFor('stranger', randomUUID())).toBeNull();
    await expect(statusFor('anon', testUserIds.owner)).rejects.toMatchObject({ code: '42501' });
  });
});

/** Returns the code with which these preferences are rejected. */
const refusePreferences = (settings: string) =>
  world.runAs('owner', (tx) =>
    getRejectionCode(
      tx,
      (attempt) => attempt`update public.preferences
      set settings = ${settings}::text::jsonb where user_id = ${testUserIds.owner}`,
    ),
  );

describe('preferences', () => {
  test('are stored with an upsert that names the user', async () => {
    const id = randomUUID();
    await addUser(world.sql, id);
    for (const theme of ['dark', 'light']) {
      await world.runAs(
        id,
        (tx) => tx`
        insert into public.preferences (user_id, settings) values (${id}, ${tx.json({ theme })})
        on conflict (user_id) do update set user_id = excluded.user_id, settings = excluded.settings`,
      );
    }
    const rows = await world.runAs(id, (tx) => tx`select settings from public.preferences`);
    expect([...rows]).toEqual([{ settings: { theme: 'light' } }]);
  });

  test('of another user cannot be overwritten with an upsert', async () => {
    const before = await readEverything(world.sql);
    await world.runAs('stranger', async (tx) => {
      await expect(
        tx.savepoint(
          (attempt) => attempt`
          insert into public.preferences (user_id, settings) values (${testUserIds.owner}, '{"a": 1}')
          on conflict (user_id) do update set settings = excluded.settings`,
        ),
      ).rejects.toMatchObject({ code: '42501' });
    });
    expect(await readEverything(world.sql)).toBe(before);
  });

  test('are an object of at most 16 KiB', async () => {
    expect(await refusePreferences('[]')).toBe('bad_request');
    expect(await refusePreferences(JSON.stringify({ note: 'x'.repeat(16_384) }))).toBe(
      'bad_request',
    );
  });
});

describe('sessions', () => {
  test('are listed and ended by their own user', async () => {
    const person = randomUUID();
    await addUser(world.sql, person);
    const [mine, other] = [person, randomUUID()];
    await world.sql`update auth.sessions
      set created_at = now() - interval '1 day', user_agent = 'Firefox', ip = '192.0.2.1'
      where id = ${mine}`;
    await world.sql`insert into auth.sessions (id, user_id, created_at, refreshed_at, user_agent)
      values (${other}, ${person}, now() - interval '2 days', now() at time zone 'utc', 'Chromium')`;
    const rows = await world.runAs(person, (tx) => tx`select * from public.my_sessions()`);
    expect(rows).toMatchObject([
      { id: other, current: false, user_agent: 'Chromium', ip: null },
      { id: mine, current: true, user_agent: 'Firefox', ip: '192.0.2.1' },
    ]);
    const refreshed = rows[0]?.['refreshed_at'];
    expect(Math.abs(Date.now() - Number(refreshed))).toBeLessThan(60_000);
    const [ended] = await world.runAs(
      person,
      (tx) => tx`select public.end_session(${other}) as answer`,
    );
    expect(ended).toEqual({ answer: true });
    expect(await world.sql`select id from auth.sessions where user_id = ${person}`).toMatchObject([
      { id: mine },
    ]);
  });
});

describe('PT-02.10: the user of a token', () => {
  const [user, stranger] = [randomUUID(), randomUUID()];
  beforeAll(async () => {
    await addUser(world.sql, user);
    await addUser(world.sql, stranger);
  });

  const token = claimsOf(user);
  const upgraded = { ...token, aal: 'aal2' };
  const upgrade = `update auth.sessions set aal = 'aal2' where id = '${user}'`;
  const enroll = (status: string) =>
    `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
      values ('${randomUUID()}', '${user}', 'totp', '${status}', now(), now())`;
  const change = (table: 'users' | 'sessions', set: string) =>
    `update auth.${table} set ${set} where id = '${user}'`;

  test.each<[name: string, status: string, claims: object, ...before: string[]]>([
    ['of a session that is there', 'active', token],
    ['of a session that was signed out', 'ended', token, `delete from auth.sessions`],
    ['without a session', 'ended', { ...token, session_id: undefined }],
    ['with an empty session', 'ended', { ...token, session_id: '' }],
    ['of another user’s session', 'ended', { ...token, session_id: stranger }],
    ['of a session that has expired', 'ended', token, change('sessions', 'not_after = now()')],
    [
      'of a session that expires later',
      'active',
      token,
      change('sessions', `not_after = now() + interval '1 minute'`),
    ],
    [
      'of a banned user',
      'ended',
      token,
      change('users', `banned_until = now() + interval '1 minute'`),
    ],
    ['of a user whose ban is over', 'active', token, change('users', 'banned_until = now()')],
    ['of a deleted user', 'ended', token, change('users', 'deleted_at = now()')],
    ['while a factor is unverified', 'active', token, enroll('unverified')],
    ['without MFA', 'mfa_required', token, enroll('verified')],
    ['from before MFA', 'mfa_required', token, enroll('verified'), upgrade],
    ['from before the factor was removed', 'mfa_required', upgraded, enroll('verified')],
    ['with MFA', 'active', upgraded, enroll('verified'), upgrade],
    ['of a user who removed their factors', 'active', upgraded],
  ])('%s: %s', async (_name, status, claims, ...before) => {
    const answer = await rollBackAfter(world.sql, async (tx) => {
      for (const statement of before) await tx.unsafe(statement);
      await tx`select set_config('role', 'authenticated', true),
        set_config('request.jwt.claims', ${JSON.stringify(claims)}, true)`;
      const [row] = await tx`
        select private.person() as user, public.session_status() as status`;
      return row;
    });
    expect(answer).toEqual({ user: status === 'active' ? user : null, status });
  });
});

describe('a suspended user', () => {
  test('can read but not create or save anything', async () => {
    const own = {
      project: projects.suspended,
      client: randomUUID(),
      base: 2,
      updates: [createUpdate(1, 'x')],
    };
    const before = await readEverything(world.sql);
    await world.runAs('suspended', async (tx) => {
      expect(
        await getRejectionCode(tx, (attempt) => createProject(attempt, { id: randomUUID() })),
      ).toBe('suspended');
      expect(await getRejectionCode(tx, (attempt) => appendUpdates(attempt, own))).toBe(
        'suspended',
      );
      const [row] = await tx<{ answer: { seq: number } }[]>`
        select public.load_document(${projects.suspended}) as answer`;
      expect(row?.answer.seq).toBe(2);
    });
    expect(await readEverything(world.sql)).toBe(before);
  });
});

describe('a deleted user with a valid token', () => {
  test('cannot change anything, and has no data left', async () => {
    const person = randomUUID();
    await addUser(world.sql, person, 'short-lived');
    const { id } = await world.runAs(person, (tx) => createProject(tx, { id: randomUUID() }));
    await world.sql`delete from auth.users where id = ${person}`;
    expect(await readEverything(world.sql)).not.toContain(person);
    await world.runAs(person, async (tx) => {
      expect(
        await getRejectionCode(tx, (attempt) => createProject(attempt, { id: randomUUID() })),
      ).toBe('session_expired');
      expect(
        await getRejectionCode(tx, (attempt) =>
          appendUpdates(attempt, {
            project: id,
            client: randomUUID(),
            base: 1,
            updates: [createUpdate(1, 'x')],
          }),
        ),
      ).toBe('session_expired');
    });
  });
});

const moderate = (who: string, text: string, ...values: (string | boolean)[]) =>
  world.runAs(who, (tx) => tx.unsafe(`select public.${text}`, values));

describe('moderation', () => {
  test('lets a moderator suspend and unsuspend members', async () => {
    const person = randomUUID();
    await addUser(world.sql, person);
    await moderate('moderator', 'set_suspended($1, $2)', person, true);
    await world.runAs(person, async (tx) => {
      expect(
        await getRejectionCode(tx, (attempt) => createProject(attempt, { id: randomUUID() })),
      ).toBe('suspended');
    });
    await moderate('moderator', 'set_suspended($1, $2)', person, false);
    await world.runAs(person, (tx) => createProject(tx, { id: randomUUID() }));
  });

  test('does not let anyone suspend an admin or themselves, or a moderator suspend a moderator', async () => {
    const before = await readEverything(world.sql);
    const tries = [
      ['moderator', testUserIds.admin],
      ['moderator', testUserIds.moderator],
      ['admin', testUserIds.admin],
      ['stranger', testUserIds.owner],
    ] as const;
    for (const [who, whom] of tries) {
      await expect(moderate(who, 'set_suspended($1, $2)', whom, true)).rejects.toMatchObject({
        message: 'not_allowed',
      });
    }
    expect(await readEverything(world.sql)).toBe(before);
  });

  test('only lets admins appoint moderators', async () => {
    const person = randomUUID();
    await addUser(world.sql, person);
    await expect(
      moderate('moderator', 'set_role($1, $2)', person, 'moderator'),
    ).rejects.toMatchObject({
      message: 'not_allowed',
    });
    await moderate('admin', 'set_role($1, $2)', person, 'moderator');
    const [row] = await world.sql`select role from public.profiles where id = ${person}`;
    expect(row).toEqual({ role: 'moderator' });
  });
});
