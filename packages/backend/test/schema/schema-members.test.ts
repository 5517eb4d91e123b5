import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { appendUpdates, createUpdate } from '@vitrine/testing/schema-calls';
import { addUser, claimsOf, newProject, openWorld } from '@vitrine/testing/schema-world';
import type { SchemaWorld } from '@vitrine/testing/schema-world';

let world: SchemaWorld;
let project: string;
const viewer = randomUUID();
const editor = randomUUID();
beforeAll(async () => {
  world = await openWorld();
  await addUser(world.sql, viewer, 'vic');
  await addUser(world.sql, editor, 'eve');
});
afterAll(() => world.close());
beforeEach(async () => {
  project = await newProject(world);
  await world.sql`insert into public.project_members (project_id, user_id, role)
    values (${project}, ${viewer}, 'viewer'), (${project}, ${editor}, 'editor')`;
});

const save = (who: string) =>
  world.runAs(who, (tx) =>
    appendUpdates(tx, { project, client: randomUUID(), base: 1, updates: [createUpdate(1, 'a')] }),
  );
const load = (who: string) =>
  world.runAs(who, (tx) =>
    tx`select public.load_document(${project})`.then(({ length }) => length),
  );

async function seen(who: string): Promise<{ mayEdit: boolean; worksOn: boolean } | null> {
  const [row] = await world.sql<{ slug: string }[]>`
    select slug from public.projects where id = ${project}`;
  const [found] = await world.runAs(
    who,
    (tx) => tx<{ answer: { may_edit: boolean; works_on: boolean } | null }[]>`
      select public.find_project(${row?.slug ?? ''}) as answer`,
  );
  const answer = found?.answer;
  return answer ? { mayEdit: answer.may_edit, worksOn: answer.works_on } : null;
}

/** Permissions of a user in a channel, sorted. */
async function rightsIn(name: string, who: string): Promise<string[]> {
  const claims = JSON.stringify(claimsOf(who));
  const asks = JSON.stringify([{ topic: name, role: 'authenticated', claims }]);
  const [row] = await world.sql.begin(async (tx) => {
    await tx`set local role supabase_realtime_admin`;
    return tx<{ rights: string[] }[]>`
      select rights from realtime.find_rights(${asks}::text::jsonb)`;
  });
  return (row?.rights ?? []).toSorted();
}

const ofMembers = ['read broadcast', 'read presence', 'write presence'];

test('an editor saves, a viewer reads, and others cannot find a private project', async () => {
  expect(await seen(editor)).toEqual({ mayEdit: true, worksOn: true });
  expect(await seen(viewer)).toEqual({ mayEdit: false, worksOn: true });
  expect(await seen('stranger')).toBeNull();
  await expect(save(viewer)).rejects.toThrow('not_allowed');
  await expect(save('stranger')).rejects.toThrow('not_found_or_private');
  expect(await save(editor)).toMatchObject({ status: 'saved', seq: 2, revision: 2 });
});

test('members read the document and its updates until they are removed', async () => {
  expect([await load(viewer), await load(editor)]).toEqual([1, 1]);
  await world.sql`delete from public.project_members where project_id = ${project}`;
  await expect(load(viewer)).rejects.toThrow('not_found_or_private');
  await expect(load(editor)).rejects.toThrow('not_found_or_private');
  expect(await seen(editor)).toBeNull();
});

test('a member cannot read or save a project in the trash', async () => {
  await world.sql`update public.projects set trashed_at = now() where id = ${project}`;
  expect(await seen(editor)).toBeNull();
  await expect(save(editor)).rejects.toThrow('not_found_or_private');
  await expect(load(editor)).rejects.toThrow('not_found_or_private');
});

test('a suspended editor can read but not save', async () => {
  await world.sql`update public.profiles set suspended_at = now() where id = ${editor}`;
  expect(await seen(editor)).toEqual({ mayEdit: false, worksOn: true });
  await expect(save(editor)).rejects.toThrow('suspended');
  await world.sql`update public.profiles set suspended_at = null where id = ${editor}`;
});

test('RT-02: members are present in the project’s channel, and cannot send in it', async () => {
  const name = `project:${project}`;
  expect(await rightsIn(name, viewer)).toEqual(ofMembers);
  expect(await rightsIn(name, editor)).toEqual(ofMembers);
  await world.sql`delete from public.project_members where user_id = ${viewer}`;
  expect(await rightsIn(name, viewer)).toEqual([]);
});

test('RT-01, RT-14: no other channel names are allowed, and no other users', async () => {
  const stranger = randomUUID();
  await addUser(world.sql, stranger);
  expect(await rightsIn(`project:${project}`, stranger)).toEqual([]);
  const names = [project, `project:${project} `, `project:${project}/a`, 'project:*', 'project:'];
  for (const name of [...names, `PROJECT:${project}`, `project:${project.toUpperCase()}`])
    expect([name, await rightsIn(name, editor)]).toEqual([name, []]);
});
