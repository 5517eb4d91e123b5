import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '@vitrine/project';
import { appendUpdates, createUpdate } from '@vitrine/testing/schema-calls';
import {
  addUser,
  claimsOf,
  newProject,
  openWorld,
  testUserIds,
} from '@vitrine/testing/schema-world';
import type { SchemaWorld } from '@vitrine/testing/schema-world';
import { waitForLockWaiters } from './schema-attempts.ts';

/*
 * DB-17: invitations, roles and transfer. Users are named by their ids; the owner of the project is
 * the world's.
 */

let world: SchemaWorld;
let project: string;
const owner: string = testUserIds.owner;
const ben = randomUUID();
const cy = randomUUID();

beforeAll(async () => {
  world = await openWorld();
  await addUser(world.sql, ben, 'ben');
  await addUser(world.sql, cy, 'cyd');
  for (const id of [ben, cy]) await verifyEmail(id);
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.sql`delete from public.invitations`;
  project = await newProject(world);
});

const getEmail = (id: string) => `${id}@example.test`;

async function verifyEmail(id: string, email = getEmail(id)): Promise<void> {
  await world.sql`update auth.users set email = ${email}, email_confirmed_at = now(),
    raw_app_meta_data = jsonb_build_object('verified_email', ${email}::text) where id = ${id}`;
}

interface Invitation {
  id: string;
  kind: string;
  role: string;
  token: string | null;
  expires_at: string;
}

interface InviteOptions {
  username?: string;
  email?: string;
  role?: string;
  days?: number;
  by?: string;
}

async function invite({ username, email, role = 'editor', days = 7, by = owner }: InviteOptions) {
  return call<Invitation>(by, 'invite_to_project', {
    project,
    role,
    username: username ?? null,
    email: email ?? null,
    days,
  });
}

/** The token of a new link. */
async function createLink(role = 'editor', by = owner): Promise<string> {
  const { token } = await invite({ role, by });
  return token ?? '';
}

/** Calls a function of `public` with named arguments, as a user. */
async function call<T = unknown>(
  who: string,
  name: string,
  args: Record<string, string | number | null> = {},
): Promise<T> {
  const given = Object.entries(args).map(([arg, value], index) => ({ arg, value, index }));
  const list = given.map(({ arg, index }) => `${arg} => $${index + 1}`).join(', ');
  const [row] = await world.runAs(who, (tx) =>
    tx.unsafe<{ answer: T }[]>(
      `select public.${name}(${list}) as answer`,
      given.map(({ value }) => value),
    ),
  );
  if (row === undefined) throw new Error(`${name} answered nothing`);
  return row.answer;
}

const accept = (who: string, invitation: string) =>
  call<{ role: string; slug: string; username: string }>(who, 'accept_invitation', { invitation });
const read = (who: string, invitation: string) =>
  call<{ problem: string | null; access: { role: string } | null; [field: string]: unknown }>(
    who,
    'read_invitation',
    { invitation },
  );

/** The role that the database gives a user: what `find_project` and a save say. */
async function roleOf(who: string): Promise<'owner' | 'editor' | 'viewer' | null> {
  const [row] = await world.sql<{ slug: string; owner: string }[]>`
    select slug, owner_id as owner from public.projects where id = ${project}`;
  const found = await call<{ may_edit: boolean; works_on: boolean } | null>(who, 'find_project', {
    slug: row?.slug ?? '',
  });
  const canSave = await save(who).then(
    () => true,
    () => false,
  );
  const role = !found?.works_on ? null : found.may_edit ? 'editor' : 'viewer';
  expect([who, canSave]).toEqual([who, role === 'editor']);
  return role === 'editor' && row?.owner === who ? 'owner' : role;
}

async function save(who: string): Promise<void> {
  const [row] = await world.sql<{ seq: number }[]>`
    select seq::int from public.documents where project_id = ${project}`;
  await world.runAs(who, (tx) =>
    appendUpdates(tx, {
      project,
      client: randomUUID(),
      base: row?.seq ?? 0,
      updates: [createUpdate(1, 'a')],
    }),
  );
}

async function expire(): Promise<void> {
  await world.sql`update public.invitations
    set created_at = now() - interval '8 days', expires_at = now() - interval '1 second'`;
}

describe('an invitation by username', () => {
  test('gives its role to that user alone, by its id', async () => {
    const { id, token } = await invite({ username: 'ben' });
    expect(token).toBeNull();
    await expect(accept(cy, id)).rejects.toThrow('invitation_not_found');
    await expect(accept(owner, id)).rejects.toThrow('invitation_not_found');
    expect(await roleOf(ben)).toBeNull();
    expect(await accept(ben, id)).toMatchObject({ role: 'editor', username: 'the-owner' });
    expect([await roleOf(ben), await roleOf(cy)]).toEqual(['editor', null]);
    // Again: the first answer.
    expect(await accept(ben, id)).toMatchObject({ role: 'editor' });
  });

  test('names only users that profiles name, and nobody who has the role', async () => {
    await expect(invite({ username: 'nobody-here' })).rejects.toThrow('user_not_found');
    await expect(invite({ username: 'the-owner' })).rejects.toThrow('already_owner');
    await accept(ben, (await invite({ username: ' BEN ', role: 'editor' })).id);
    await expect(invite({ username: 'ben', role: 'viewer' })).rejects.toThrow('already_member');
    await expect(invite({ username: 'ben', role: 'editor' })).rejects.toThrow('already_member');
  });

  test('shows the invited user who invites to what, and not the content', async () => {
    await invite({ username: 'ben' });
    const [listed] = await call<{ id: string; project: object; inviter: object }[]>(
      ben,
      'list_invitations',
    );
    expect(listed).toMatchObject({
      role: 'editor',
      project: { title: 'Untitled' },
      inviter: { username: 'the-owner' },
    });
    expect(await call(cy, 'list_invitations')).toEqual([]);
    const rows = await world.runAs(
      ben,
      (tx) => tx`select id from public.projects where id = ${project}`,
    );
    expect(rows).toHaveLength(0);
    expect(await roleOf(ben)).toBeNull();
  });

  test('replaces an earlier one of the same user', async () => {
    const first = await invite({ username: 'ben', role: 'editor' });
    const second = await invite({ username: 'ben', role: 'viewer' });
    await expect(accept(ben, first.id)).rejects.toThrow('invitation_revoked');
    await accept(ben, second.id);
    expect(await roleOf(ben)).toBe('viewer');
  });
});

describe('an invitation by email', () => {
  test('is for the account whose mailbox has that address, whoever has the token', async () => {
    const { token } = await invite({ email: ` ${getEmail(ben).toUpperCase()} ` });
    await expect(accept(cy, token ?? '')).rejects.toThrow('invitation_not_yours');
    expect(await accept(ben, token ?? '')).toMatchObject({ role: 'editor' });
    expect([await roleOf(ben), await roleOf(cy)]).toEqual(['editor', null]);
  });

  test('is not for an account that has not verified the address', async () => {
    const mallory = randomUUID();
    await addUser(world.sql, mallory, `m-${mallory.slice(0, 8)}`);
    const { id, token } = await invite({ email: getEmail(mallory) });
    await world.sql`update auth.users set email_confirmed_at = now() where id = ${mallory}`;
    await expect(accept(mallory, token ?? '')).rejects.toThrow('invitation_email_unverified');
    await expect(accept(mallory, id)).rejects.toThrow('invitation_not_found');
    expect(await call(mallory, 'list_invitations')).toEqual([]);
    await verifyEmail(mallory);
    expect(await call(mallory, 'list_invitations')).toMatchObject([{ id }]);
    await accept(mallory, id);
    expect(await roleOf(mallory)).toBe('editor');
  });

  test('is proved by its link where the instance says so, for the account with that address', async () => {
    const mallory = randomUUID();
    const nell = randomUUID();
    for (const id of [mallory, nell]) await addUser(world.sql, id, `u-${id.slice(0, 8)}`);
    const set = (value: boolean) =>
      world.sql`select public.set_instance_setting('invitation_link_verifies', ${value})`;
    const first = await invite({ email: getEmail(mallory), role: 'viewer' });
    await set(true);
    try {
      await expect(accept(nell, first.token ?? '')).rejects.toThrow('invitation_not_yours');
      await expect(accept(mallory, first.id)).rejects.toThrow('invitation_not_found');
      expect(await call(mallory, 'list_invitations')).toEqual([]);
      expect(await accept(mallory, first.token ?? '')).toMatchObject({ role: 'viewer' });
      await expect(accept(mallory, first.token ?? '')).resolves.toMatchObject({ role: 'viewer' });
      const higher = await invite({ email: getEmail(mallory), role: 'editor' });
      expect(await accept(mallory, higher.token ?? '')).toMatchObject({ role: 'editor' });
      const other = await invite({ email: getEmail(nell) });
      await set(false);
      await expect(accept(nell, other.token ?? '')).rejects.toThrow('invitation_email_unverified');
    } finally {
      await set(false);
    }
    expect([await roleOf(mallory), await roleOf(nell)]).toEqual(['editor', null]);
    await expect(
      world.runAs(
        'admin',
        (tx) => tx`select public.set_instance_setting('invitation_link_verifies', true)`,
      ),
    ).rejects.toThrow('permission denied');
  });

  test('says the same whether or not the address has an account', async () => {
    const known = await invite({ email: getEmail(ben) });
    const unknown = await invite({ email: 'nobody@example.test' });
    expect(Object.keys(known)).toEqual(Object.keys(unknown));
    const { invitations } = await call<{ invitations: object[] }>(owner, 'list_people', {
      project,
    });
    expect(invitations).toMatchObject([
      { email: 'nobody@example.test', user: null },
      { email: getEmail(ben), user: null },
    ]);
  });

  test('keeps the address only until it has ended', async () => {
    await accept(ben, (await invite({ email: getEmail(ben) })).token ?? '');
    await call(cy, 'decline_invitation', {
      invitation: (await invite({ email: getEmail(cy) })).token ?? '',
    });
    const { id } = await invite({ email: 'c@example.test' });
    await call(owner, 'revoke_invitation', { invitation: id });
    const rows = await world.sql`select from public.invitations where email is not null`;
    expect(rows).toHaveLength(0);
  });

  test.each(['', 'a', 'a@', '@b', 'a b@c', 'a@b,c@d', `${'a'.repeat(250)}@b.cd`])(
    'rejects %j',
    async (email) => {
      await expect(invite({ email })).rejects.toThrow('email_invalid');
    },
  );

  test('tells a holder of the token which account to use, but not the address', async () => {
    const { token } = await invite({ email: 'alice@example.test' });
    expect(await read('anon', token ?? '')).toMatchObject({
      problem: null,
      email: 'a…@example.test',
      project: { title: 'Untitled' },
    });
    expect(await read(cy, token ?? '')).toMatchObject({ problem: 'invitation_not_yours' });
  });
});

describe('an invitation link', () => {
  test('is for anyone signed in, several times, until it ends', async () => {
    const token = await createLink('viewer');
    await expect(accept('anon', token)).rejects.toThrow('permission denied');
    for (const who of [ben, cy]) expect(await accept(who, token)).toMatchObject({ role: 'viewer' });
    expect([await roleOf(ben), await roleOf(cy)]).toEqual(['viewer', 'viewer']);
    const people = await call<{ invitations: { uses: number }[] }>(owner, 'list_people', {
      project,
    });
    expect(people.invitations).toMatchObject([{ kind: 'link', uses: 2 }]);
    await expire();
    expect(await read('anon', token)).toEqual({ problem: 'invitation_expired', access: null });
    await expect(accept('stranger', token)).rejects.toThrow('invitation_expired');
  });

  test('has a token of at least 128 random bits, of which only a hash is stored', async () => {
    const tokens = new Set<string>();
    for (let count = 0; count < 20; count++) tokens.add(await createLink());
    expect(tokens.size).toBe(20);
    for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/);
    const [row] = await world.sql<{ all: string }[]>`
      select string_agg(i::text, ' ') as all from public.invitations i`;
    for (const token of tokens) expect(row?.all).not.toContain(token);
    await expect(
      world.runAs('owner', (tx) => tx`select token_hash from public.invitations`),
    ).rejects.toThrow('permission denied');
  });

  test('cannot be guessed, nor used by its id', async () => {
    const token = await createLink();
    const [row] = await world.sql<{ id: string }[]>`select id from public.invitations`;
    const wrong = [row?.id ?? '', token.slice(1), `${token} `, token.toLowerCase(), '', '%', '_'];
    for (const guess of wrong) {
      expect([guess, await read(ben, guess)]).toEqual([
        guess,
        { problem: 'invitation_not_found', access: null },
      ]);
      await expect(accept(ben, guess)).rejects.toThrow('invitation_not_found');
    }
  });

  test('never lowers a role, and changes nothing for the owner', async () => {
    const [asViewer, asEditor] = [await createLink('viewer'), await createLink('editor')];
    await accept(ben, asViewer);
    expect(await roleOf(ben)).toBe('viewer');
    await accept(ben, asEditor);
    expect(await roleOf(ben)).toBe('editor');
    expect(await accept(ben, asViewer)).toMatchObject({ role: 'editor' });
    expect(await roleOf(ben)).toBe('editor');
    expect(await accept(owner, asViewer)).toMatchObject({ role: 'owner' });
    expect(await roleOf(owner)).toBe('owner');
    const rows = await world.sql`
      select from public.project_members where project_id = ${project} and user_id = ${owner}`;
    expect(rows).toHaveLength(0);
  });

  test('is not given back by a user whom the owner removed, or whose role was lowered', async () => {
    const [asViewer, asEditor] = [await createLink('viewer'), await createLink('editor')];
    const { id: personal } = await invite({ username: 'cyd' });
    await accept(ben, asEditor);
    await call(owner, 'set_member_role', { project, member: ben, role: 'viewer' });
    await expect(accept(ben, asEditor)).rejects.toThrow('invitation_revoked');
    expect(await roleOf(ben)).toBe('viewer');
    await call(owner, 'remove_member', { project, member: ben });
    for (const token of [asViewer, asEditor])
      await expect(accept(ben, token)).rejects.toThrow('invitation_revoked');
    expect(await roleOf(ben)).toBeNull();
    // Others keep theirs, and a new link lets the user in again.
    await accept(cy, personal);
    await accept(ben, await createLink('viewer'));
    expect([await roleOf(ben), await roleOf(cy)]).toEqual(['viewer', 'editor']);
  });
});

describe('an invitation ends', () => {
  const ends: Record<string, { end: (id: string) => Promise<unknown>; code: string }> = {
    'when it expires': { end: expire, code: 'invitation_expired' },
    'when it is revoked': {
      end: (invitation) => call(owner, 'revoke_invitation', { invitation }),
      code: 'invitation_revoked',
    },
    'when the inviter is suspended': {
      end: () => world.sql`update public.profiles set suspended_at = now() where id = ${owner}`,
      code: 'invitation_revoked',
    },
    'when the inviter no longer owns the project': {
      end: () => world.sql`update public.projects set owner_id = ${cy} where id = ${project}`,
      code: 'invitation_revoked',
    },
    'when the project is in the trash': {
      end: () => world.sql`update public.projects set trashed_at = now() where id = ${project}`,
      code: 'invitation_revoked',
    },
    'when the project is hidden': {
      end: () => world.sql`update public.projects set hidden_at = now() where id = ${project}`,
      code: 'invitation_revoked',
    },
  };

  test.each(Object.entries(ends))('%s', async (_, { end, code }) => {
    const { id } = await invite({ username: 'ben' });
    const token = await createLink();
    const mailed = (await invite({ email: getEmail(ben) })).token ?? '';
    const [link] = await world.sql<{ id: string }[]>`
      select id from public.invitations where kind = 'link'`;
    const [mail] = await world.sql<{ id: string }[]>`
      select id from public.invitations where kind = 'email'`;
    for (const each of [id, link?.id ?? '', mail?.id ?? '']) await end(each);
    for (const invitation of [id, token, mailed]) {
      await expect(accept(ben, invitation)).rejects.toThrow(code);
      expect(await read(ben, invitation)).toEqual({ problem: code, access: null });
    }
    expect(await call(ben, 'list_invitations')).toEqual([]);
    await world.sql`update public.profiles set suspended_at = null where id = ${owner}`;
    const members = await world.sql`
      select from public.project_members where project_id = ${project} and user_id = ${ben}`;
    expect(members).toHaveLength(0);
  });

  test('when it is declined, except a link, which is for others too', async () => {
    const { id } = await invite({ username: 'ben' });
    await expect(call(cy, 'decline_invitation', { invitation: id })).rejects.toThrow(
      'invitation_not_found',
    );
    await call(ben, 'decline_invitation', { invitation: id });
    await call(ben, 'decline_invitation', { invitation: id });
    await expect(accept(ben, id)).rejects.toThrow('invitation_declined');
    const link = await createLink();
    await call(ben, 'decline_invitation', { invitation: link });
    await accept(cy, link);
    expect([await roleOf(ben), await roleOf(cy)]).toEqual([null, 'editor']);
  });

  test('for a user and an address when it is accepted', async () => {
    const { token } = await invite({ email: getEmail(ben) });
    await accept(ben, token ?? '');
    await call(ben, 'leave_project', { project });
    await expect(accept(ben, token ?? '')).rejects.toThrow('invitation_used');
    expect(await roleOf(ben)).toBeNull();
  });
});

describe('who may do what', () => {
  const denied = 'not_allowed';

  test('only the owner invites, revokes, changes roles and removes', async () => {
    const { id } = await invite({ username: 'cyd' });
    await accept(ben, await createLink('editor'));
    for (const who of [ben, 'moderator', 'stranger']) {
      const code = who === ben ? denied : 'not_found_or_private';
      await expect(invite({ by: who })).rejects.toThrow(code);
      await expect(invite({ by: who, username: 'cyd', role: 'owner' })).rejects.toThrow(code);
      await expect(
        call(who, 'set_member_role', { project, member: ben, role: 'editor' }),
      ).rejects.toThrow(code);
      await expect(call(who, 'remove_member', { project, member: ben })).rejects.toThrow(code);
      await expect(call(who, 'revoke_invitation', { invitation: id })).rejects.toThrow(
        'invitation_not_found',
      );
    }
    await expect(call('anon', 'read_invitation', { invitation: id })).resolves.toEqual({
      problem: 'invitation_not_found',
      access: null,
    });
    expect(await roleOf(ben)).toBe('editor');
    await accept(cy, id);
  });

  test('no argument gives another role or another end', async () => {
    for (const role of ['owner', 'admin', '', 'EDITOR'])
      await expect(invite({ role })).rejects.toThrow('bad_request');
    for (const days of [0, -1, 31, 2 ** 31 - 1])
      await expect(invite({ days })).rejects.toThrow('bad_request');
    await expect(invite({ username: 'ben', email: getEmail(ben) })).rejects.toThrow('bad_request');
    await expect(invite({ email: getEmail(ben), role: 'owner' })).rejects.toThrow('bad_request');
    await accept(ben, await createLink('viewer'));
    for (const role of ['owner', 'admin', ''])
      await expect(call(owner, 'set_member_role', { project, member: ben, role })).rejects.toThrow(
        'bad_request',
      );
    await expect(
      call(owner, 'set_member_role', { project, member: cy, role: 'viewer' }),
    ).rejects.toThrow('member_not_found');
  });

  test('a client writes neither table itself', async () => {
    const { id } = await invite({ username: 'ben' });
    for (const statement of [
      `update public.invitations set role = 'owner' where id = '${id}'`,
      `insert into public.invitations (project_id, kind, role, invited_user, created_by, expires_at)
        values ('${project}', 'user', 'owner', '${ben}', '${ben}', now() + interval '1 day')`,
      `delete from public.invitations where id = '${id}'`,
      `insert into public.project_members (project_id, user_id, role)
        values ('${project}', '${ben}', 'editor')`,
    ])
      await expect(world.runAs(ben, (tx) => tx.unsafe(statement))).rejects.toThrow(
        'permission denied',
      );
  });

  test('suspended users change nothing', async () => {
    const { id } = await invite({ username: 'ben' });
    await accept(cy, await createLink('viewer'));
    await world.sql`update public.profiles set suspended_at = now() where id in (${ben}, ${cy})`;
    await expect(accept(ben, id)).rejects.toThrow('suspended');
    await expect(call(ben, 'decline_invitation', { invitation: id })).rejects.toThrow('suspended');
    await expect(call(cy, 'leave_project', { project })).rejects.toThrow('suspended');
    await world.sql`update public.profiles set suspended_at = null where id in (${ben}, ${cy})`;
  });

  test('members see each other; only the owner sees invitations', async () => {
    await invite({ email: 'secret@example.test' });
    await accept(ben, await createLink('editor'));
    await accept(cy, await createLink('viewer'));
    type People = { role: string; owner: object; members: object[]; invitations: object[] };
    const seen = await call<People>(cy, 'list_people', { project });
    expect(seen).toMatchObject({
      role: 'viewer',
      owner: { username: 'the-owner' },
      members: [
        { username: 'ben', role: 'editor' },
        { username: 'cyd', role: 'viewer' },
      ],
      invitations: [],
    });
    expect(JSON.stringify(seen)).not.toContain('@');
    expect((await call<People>(owner, 'list_people', { project })).invitations).toHaveLength(3);
    await expect(call('stranger', 'list_people', { project })).rejects.toThrow(
      'not_found_or_private',
    );
    const rows = await world.runAs(
      cy,
      (tx) => tx`select distinct user_id from public.project_members`,
    );
    expect(rows).toEqual([{ user_id: cy }]);
  });
});

describe('a member', () => {
  test('DB-16: who is removed or leaves loses access with the next statement', async () => {
    for (const who of [ben, cy]) await accept(who, await createLink('editor'));
    await call(owner, 'remove_member', { project, member: ben });
    await call(cy, 'leave_project', { project });
    for (const who of [ben, cy]) {
      expect(await roleOf(who)).toBeNull();
      await expect(call(who, 'load_document', { project })).rejects.toThrow('not_found_or_private');
      expect(await channelRights(who)).toEqual([]);
    }
    await expect(call(ben, 'leave_project', { project })).rejects.toThrow('not_found_or_private');
  });

  test('a role that is lowered no longer saves, and still reads', async () => {
    await accept(ben, await createLink('editor'));
    await call(owner, 'set_member_role', { project, member: ben, role: 'viewer' });
    await expect(save(ben)).rejects.toThrow('not_allowed');
    expect(await roleOf(ben)).toBe('viewer');
    expect(await channelRights(ben)).toContain('read presence');
    await call(owner, 'set_member_role', { project, member: ben, role: 'editor' });
    expect(await roleOf(ben)).toBe('editor');
  });

  test('the owner is none, whoever writes the row, and does not leave', async () => {
    await expect(
      world.sql`insert into public.project_members (project_id, user_id, role)
        values (${project}, ${owner}, 'viewer')`,
    ).rejects.toThrow('already_owner');
    await expect(call(owner, 'leave_project', { project })).rejects.toThrow('not_allowed');
  });
});

/** Permissions of a user in the project's channel. */
async function channelRights(who: string): Promise<string[]> {
  const claims = JSON.stringify(claimsOf(who));
  const asks = JSON.stringify([{ topic: `project:${project}`, role: 'authenticated', claims }]);
  const [row] = await world.sql.begin(async (tx) => {
    await tx`set local role supabase_realtime_admin`;
    return tx<{ rights: string[] }[]>`
      select rights from realtime.find_rights(${asks}::text::jsonb)`;
  });
  return (row?.rights ?? []).toSorted();
}

describe('ownership', () => {
  const offer = (username: string, by = owner) => invite({ username, role: 'owner', by });

  test('passes when it is accepted, and its former owner becomes an editor', async () => {
    const link = await createLink('editor');
    await accept(ben, await createLink('viewer'));
    const { id } = await offer('ben');
    expect([await roleOf(owner), await roleOf(ben)]).toEqual(['owner', 'viewer']);
    const before = await world.sql<{ slug: string }[]>`
      select slug from public.projects where id = ${project}`;
    expect(await accept(ben, id)).toEqual({
      role: 'owner',
      slug: before[0]?.slug,
      username: 'ben',
    });
    expect([await roleOf(owner), await roleOf(ben)]).toEqual(['editor', 'owner']);
    const members = await world.sql`
      select user_id, role from public.project_members where project_id = ${project}`;
    expect(members).toEqual([{ user_id: owner, role: 'editor' }]);
    // What the former owner invited to has ended, also once the project is theirs again.
    await expect(accept(cy, link)).rejects.toThrow('invitation_revoked');
    await accept(owner, (await offer('the-owner', ben)).id);
    await expect(accept(cy, link)).rejects.toThrow('invitation_revoked');
    expect([await roleOf(owner), await roleOf(ben)]).toEqual(['owner', 'editor']);
  });

  test('is offered to one user at a time, and withdrawn', async () => {
    const first = await offer('ben');
    const second = await offer('cyd');
    await expect(accept(ben, first.id)).rejects.toThrow('invitation_revoked');
    await call(owner, 'revoke_invitation', { invitation: second.id });
    await expect(accept(cy, second.id)).rejects.toThrow('invitation_revoked');
    expect(await roleOf(owner)).toBe('owner');
  });

  test('is no longer offered to a user whom the owner has removed, or made a viewer', async () => {
    const { id: asEditor } = await offer('ben');
    await accept(ben, await createLink('editor'));
    await call(owner, 'set_member_role', { project, member: ben, role: 'viewer' });
    await expect(accept(ben, asEditor)).rejects.toThrow('invitation_revoked');
    const { id: asViewer } = await offer('ben');
    await call(owner, 'remove_member', { project, member: ben });
    await expect(accept(ben, asViewer)).rejects.toThrow('invitation_revoked');
    expect([await roleOf(owner), await roleOf(ben)]).toEqual(['owner', null]);
    // The removal of one user ends no offer to another.
    const { id: toCyd } = await offer('cyd');
    await call(owner, 'remove_member', { project, member: ben });
    expect(await accept(cy, toCyd)).toMatchObject({ role: 'owner' });
  });

  test('passes once: an offer of a former owner has ended', async () => {
    const toBen = await offer('ben');
    await world.sql`update public.projects set owner_id = ${cy} where id = ${project}`;
    await expect(accept(ben, toBen.id)).rejects.toThrow('invitation_revoked');
    expect(await roleOf(cy)).toBe('owner');
  });

  test('passes to someone who made a project under the same key', async () => {
    await world.sql`update public.projects set creation_key = ${project} where id = ${project}`;
    const { id } = await offer('ben');
    const other = await newProject(world);
    await world.sql`update public.projects set owner_id = ${ben}, creation_key = ${project}
      where id = ${other}`;
    await accept(ben, id);
    expect(await roleOf(ben)).toBe('owner');
  });

  test('is not taken by a client', async () => {
    await offer('ben');
    await expect(
      world.runAs(ben, (tx) => tx`update public.projects set owner_id = ${ben}`),
    ).rejects.toThrow('permission denied');
  });
});

describe('limits', () => {
  test('a user makes 60 invitations an hour, also when two calls coincide', async () => {
    await createLink();
    await world.sql`update private.attempts set amount = ${limits.invitationsPerHour - 1}
      where subject = ${owner} and action = 'invite'`;
    // Holds the project's lock until both wait for it, so that neither is counted by the other yet.
    const both = await world.sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended('people ' || ${project}::text, 0))`;
      const calls = Promise.allSettled([createLink(), createLink()]);
      await waitForLockWaiters(world.sql, 2);
      return { calls };
    });
    expect((await both.calls).map(({ status }) => status).toSorted()).toEqual([
      'fulfilled',
      'rejected',
    ]);
    await expect(createLink()).rejects.toThrow('rate_limited');
    await world.sql`delete from private.attempts`;
    await createLink();
  });

  test('a project has 50 members and pending invitations', async () => {
    const others = Array.from({ length: limits.projectMaxMembers - 1 }, () => randomUUID());
    for (const id of others)
      await addUser(world.sql, id, `u${id.replaceAll('-', '').slice(0, 20)}`);
    const link = await createLink('viewer');
    await world.sql`insert into public.project_members (project_id, user_id, role)
      select ${project}, id, 'viewer' from unnest(${others}::uuid[]) id`;
    await expect(createLink()).rejects.toThrow('too_many_members');
    await accept(ben, link);
    await expect(accept(cy, link)).rejects.toThrow('too_many_members');
    expect(await roleOf(cy)).toBeNull();
  });

  test('an invitation that ended a month ago is removed with the next', async () => {
    await createLink();
    await world.sql`update public.invitations
      set created_at = now() - interval '40 days', expires_at = now() - interval '31 days'`;
    await createLink();
    expect(await world.sql`select from public.invitations`).toHaveLength(1);
  });
});

test('changes at the same time leave one answer', async () => {
  const { id } = await invite({ username: 'ben' });
  const results = await Promise.allSettled([
    accept(ben, id),
    call(owner, 'revoke_invitation', { invitation: id }),
    accept(ben, id),
  ]);
  const [row] = await world.sql<{ accepted: boolean; revoked: boolean }[]>`
    select accepted_at is not null as accepted, revoked_at is not null as revoked
    from public.invitations where id = ${id}`;
  expect(row?.accepted).not.toBe(row?.revoked);
  expect(await roleOf(ben)).toBe(row?.accepted ? 'editor' : null);
  expect(results[1].status).toBe('fulfilled');
});
