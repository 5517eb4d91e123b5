import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appendUpdates, createUpdate } from '@vitrine/testing/schema-calls';
import { addUser, newProject, openWorld, testUserIds } from '@vitrine/testing/schema-world';
import type { SchemaWorld } from '@vitrine/testing/schema-world';
import { createFuzzParameters, fuzzTimeoutMs } from '../fuzz-settings.ts';

/*
 * Two users do random things to one project and its people. After each step the database must give
 * everyone exactly the role that the model says, and at the end the document must have every edit
 * that was acknowledged. A failure prints its seed: run it again with SEED=… .
 */

let world: SchemaWorld;
const ada = testUserIds.owner;
const ben = randomUUID();
const users = [ada, ben] as const;
const names = ['the-owner', 'ben'] as const;
const getEmail = (who: Who) => `${users[who]}@example.test`;

beforeAll(async () => {
  world = await openWorld();
  await addUser(world.sql, ben, 'ben');
  await world.sql`update auth.users set raw_app_meta_data =
    jsonb_build_object('verified_email', email) where id in ${world.sql(users)}`;
});
afterAll(() => world.close());

/** Index of a user. */
type Who = 0 | 1;
type Role = 'viewer' | 'editor' | 'owner';
type Kind = 'user' | 'email' | 'link';

const who = fc.constantFrom<Who>(0, 1);
/** Chooses one of the invitations so far. */
const pick = fc.nat(40);
const memberRole = fc.constantFrom<Role>('viewer', 'editor');

const step = fc.oneof(
  fc.record({
    type: fc.constant('invite' as const),
    who,
    kind: fc.constantFrom<Kind>('user', 'email', 'link'),
    role: memberRole,
  }),
  fc.record({ type: fc.constant('offer' as const), who }),
  { arbitrary: fc.record({ type: fc.constant('accept' as const), who, pick }), weight: 4 },
  fc.record({ type: fc.constantFrom('decline', 'revoke', 'expire'), who, pick }),
  fc.record({ type: fc.constant('setRole' as const), who, role: memberRole }),
  fc.record({ type: fc.constantFrom('remove', 'leave', 'trash', 'restore'), who }),
  { arbitrary: fc.record({ type: fc.constant('edit' as const), who }), weight: 2 },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

interface ModelInvitation {
  readonly id: string;
  /** What the accepting user sends: the token or the id. */
  readonly address: string;
  readonly kind: Kind;
  readonly role: Role;
  readonly createdBy: Who;
  /** Undefined for a link. */
  readonly target: Who | undefined;
  isPending: boolean;
  acceptedBy: Who | undefined;
  readonly excluded: Set<Who>;
}

const other = (user: Who): Who => (user === 0 ? 1 : 0);

/** What the rules say about one project. */
class Model {
  owner: Who = 0;
  readonly members = new Map<Who, Role>();
  readonly invitations: ModelInvitation[] = [];
  isInTrash = false;

  roleOf(user: Who): Role | null {
    if (user === this.owner) return 'owner';
    return this.isInTrash ? null : (this.members.get(user) ?? null);
  }

  get pending(): ModelInvitation[] {
    return this.invitations.filter(({ isPending }) => isPending);
  }

  invite(invitation: Omit<ModelInvitation, 'isPending' | 'acceptedBy' | 'excluded'>): void {
    const { role, kind, target } = invitation;
    for (const earlier of this.pending) {
      const isSame = earlier.kind === kind && kind !== 'link' && earlier.target === target;
      const isReplaced = role === 'owner' ? earlier.role === 'owner' : isSame;
      if (isReplaced && (role === 'owner') === (earlier.role === 'owner'))
        earlier.isPending = false;
    }
    this.invitations.push({
      ...invitation,
      isPending: true,
      acceptedBy: undefined,
      excluded: new Set(),
    });
  }

  /** Whether the call succeeds. */
  accept(user: Who, invitation: ModelInvitation): boolean {
    const { target, role, kind } = invitation;
    const held = this.roleOf(user);
    if (invitation.acceptedBy === user && held !== null) return true;
    const isTheirs = kind === 'link' || target === user;
    const isValid = invitation.isPending && invitation.createdBy === this.owner && !this.isInTrash;
    if (!isTheirs || !isValid || invitation.excluded.has(user)) return false;
    if (role === 'owner') {
      for (const each of this.pending) each.isPending = false;
      this.members.delete(user);
      this.members.set(this.owner, 'editor');
      this.owner = user;
    } else if (held === null || (held === 'viewer' && role === 'editor')) {
      this.members.set(user, role);
    }
    if (kind !== 'link') {
      invitation.isPending = false;
      invitation.acceptedBy = user;
    }
    return true;
  }

  exclude(user: Who, keptRole: Role | null): void {
    for (const invitation of this.pending) {
      if (invitation.role === 'owner' && invitation.target !== user) continue;
      if (invitation.role === keptRole) continue;
      invitation.excluded.add(user);
      if (invitation.kind === 'user' && invitation.target === user) invitation.isPending = false;
    }
  }
}

/** A project in the database, and what the model says about it. */
class Scenario {
  readonly model = new Model();
  readonly project: string;
  readonly slug: string;
  /** Acknowledged edits in their order. */
  readonly edits: string[] = [];

  constructor(project: string, slug: string) {
    this.project = project;
    this.slug = slug;
  }

  async run(next: Step): Promise<void> {
    const { model } = this;
    const isOwner = next.who === model.owner;
    switch (next.type) {
      case 'invite':
        return this.#invite(next.who, next.kind, next.role);
      case 'offer':
        return this.#invite(next.who, 'user', 'owner');
      case 'accept':
      case 'decline':
      case 'revoke':
      case 'expire': {
        const invitation = model.invitations.at(next.pick % (model.invitations.length || 1));
        return invitation && this.#answer(next.type, next.who, invitation);
      }
      case 'setRole': {
        const member = other(next.who);
        const isAllowed = isOwner && model.members.has(member);
        await this.#call(isAllowed, next.who, 'set_member_role', [
          this.project,
          users[member],
          next.role,
        ]);
        if (!isAllowed) return;
        model.members.set(member, next.role);
        if (next.role === 'viewer') model.exclude(member, 'viewer');
        return;
      }
      case 'remove': {
        const member = other(next.who);
        await this.#call(isOwner, next.who, 'remove_member', [this.project, users[member]]);
        if (!isOwner) return;
        model.members.delete(member);
        model.exclude(member, null);
        return;
      }
      case 'leave': {
        const isAllowed = !isOwner && model.roleOf(next.who) !== null;
        await this.#call(isAllowed, next.who, 'leave_project', [this.project]);
        if (isAllowed) model.members.delete(next.who);
        return;
      }
      case 'trash':
      case 'restore':
        return this.#setTrashed(next.who, next.type === 'trash');
      case 'edit':
        return this.#edit(next.who);
    }
  }

  async #invite(user: Who, kind: Kind, role: Role): Promise<void> {
    const { model } = this;
    const target = kind === 'link' ? undefined : other(user);
    const held = target === undefined ? null : (model.members.get(target) ?? null);
    const isMember = kind === 'user' && (held === role || (held === 'editor' && role === 'viewer'));
    const isAllowed = user === model.owner && !isMember;
    const created = await this.#call<{ id: string; token: string | null }>(
      isAllowed,
      user,
      'invite_to_project',
      [
        this.project,
        role,
        kind === 'user' && target !== undefined ? names[target] : null,
        kind === 'email' && target !== undefined ? getEmail(target) : null,
        7,
      ],
    );
    if (!created) return;
    const { id, token } = created;
    model.invite({ id, address: token ?? id, kind, role, createdBy: user, target });
  }

  async #answer(
    type: 'accept' | 'decline' | 'revoke' | 'expire',
    user: Who,
    invitation: ModelInvitation,
  ): Promise<void> {
    const { model } = this;
    const { id, address, kind, target } = invitation;
    if (type === 'expire') {
      await world.sql`update public.invitations set expires_at = now() where id = ${id}`;
      invitation.isPending = false;
    } else if (type === 'accept') {
      const isAllowed = model.accept(user, invitation);
      await this.#call(isAllowed, user, 'accept_invitation', [address]);
    } else if (type === 'revoke') {
      const isAllowed = user === model.owner && invitation.createdBy === user;
      await this.#call(isAllowed, user, 'revoke_invitation', [id]);
      if (isAllowed) invitation.isPending = false;
    } else {
      // Only what it changes: a link can't be declined, and one that has ended neither.
      await this.#call(undefined, user, 'decline_invitation', [address]);
      const isValid = invitation.createdBy === model.owner && !model.isInTrash;
      const isTheirs = kind !== 'link' && target === user;
      if (isTheirs && isValid && !invitation.excluded.has(user)) invitation.isPending = false;
    }
  }

  async #setTrashed(user: Who, isTrashed: boolean): Promise<void> {
    const changed = await world.runAs(
      users[user],
      (tx) => tx`update public.projects set trashed_at = ${isTrashed ? new Date() : null}
        where id = ${this.project} returning id`,
    );
    const isAllowed = user === this.model.owner;
    expect(changed).toHaveLength(isAllowed ? 1 : 0);
    if (isAllowed) this.model.isInTrash = isTrashed;
  }

  async #edit(user: Who): Promise<void> {
    const bytes = `${names[user]} ${this.edits.length}`;
    const saved = await this.#save(user, bytes);
    const role = this.model.roleOf(user);
    expect(saved).toBe(role === 'owner' || role === 'editor');
    if (saved) this.edits.push(bytes);
  }

  async #save(user: Who, bytes: string): Promise<boolean> {
    try {
      const answer = await world.runAs(users[user], (tx) =>
        appendUpdates(tx, {
          project: this.project,
          client: randomUUID(),
          base: this.edits.length + 1,
          updates: [createUpdate(1, bytes)],
          changed: { 'index.html': bytes },
        }),
      );
      return answer.status === 'saved';
    } catch {
      return false;
    }
  }

  /** Calls a function by position; `isAllowed` says whether it must succeed, if known. */
  async #call<T>(
    isAllowed: boolean | undefined,
    user: Who,
    name: string,
    values: (string | number | null)[],
  ): Promise<T | undefined> {
    const places = values.map((_, index) => `$${index + 1}`).join(', ');
    let answer: T | undefined;
    let failure = '';
    try {
      const [row] = await world.runAs(users[user], (tx) =>
        tx.unsafe<{ answer: T }[]>(`select public.${name}(${places}) as answer`, values),
      );
      answer = row?.answer;
    } catch (error) {
      failure = String(error);
    }
    if (isAllowed !== undefined)
      expect([name, failure === '', failure]).toEqual([name, isAllowed, failure]);
    return answer;
  }

  /** Compares what the database gives to each user with the model. */
  async check(): Promise<void> {
    for (const user of [0, 1] as const) {
      const role = this.model.roleOf(user);
      const [row] = await world.runAs(
        users[user],
        (tx) =>
          tx<
            { found: { may_edit: boolean; works_on: boolean; owner: { id: string } } | null }[]
          >`select public.find_project(${this.slug}) as found`,
      );
      const found = row?.found ?? null;
      const actual = !found?.works_on
        ? null
        : found.owner.id === users[user]
          ? 'owner'
          : found.may_edit
            ? 'editor'
            : 'viewer';
      expect([names[user], actual]).toEqual([names[user], role]);
      const documents = await world.runAs(
        users[user],
        (tx) => tx`select from public.documents where project_id = ${this.project}`,
      );
      expect([names[user], documents.length]).toEqual([names[user], role === null ? 0 : 1]);
    }
    const [row] = await world.runAs(
      'stranger',
      (tx) => tx`select public.find_project(${this.slug}) as found`,
    );
    expect(row).toEqual({ found: null });
    const rows = await world.sql`
      select from public.project_members m join public.projects p on p.id = m.project_id
      where p.id = ${this.project} and m.user_id = p.owner_id`;
    expect(rows).toHaveLength(0);
  }

  async checkNothingLost(): Promise<void> {
    const rows = await world.sql<{ text: string }[]>`
      select convert_from(update, 'UTF8') as text from public.document_updates
      where project_id = ${this.project} order by seq`;
    expect(rows.map(({ text }) => text)).toEqual(this.edits);
    const [file] = await world.sql<{ content: string }[]>`
      select content from public.project_files where project_id = ${this.project}`;
    expect(file?.content).toBe(this.edits.at(-1) ?? 'start');
  }
}

test(
  'two users have exactly the permissions that the rules give them, and lose no edit',
  async () => {
    const steps = fc.array(step, { minLength: 40, maxLength: 100 });
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        await world.sql`delete from public.invitations`;
        const project = await newProject(world);
        const [row] = await world.sql<{ slug: string }[]>`
          select slug from public.projects where id = ${project}`;
        const scenario = new Scenario(project, row?.slug ?? '');
        for (const next of sequence) {
          await scenario.run(next);
          await scenario.check();
        }
        await scenario.checkNothingLost();
      }),
      { ...createFuzzParameters(10, 1), endOnFailure: false },
    );
  },
  fuzzTimeoutMs,
);
