import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitForLockWaiters } from './schema-attempts.ts';
import {
  appendUpdates,
  createProject,
  readProjectFiles,
  createUpdate,
} from '@vitrine/testing/schema-calls';
import type { Append, AppendAnswer } from '@vitrine/testing/schema-calls';
import { addUser, newProject, openWorld } from '@vitrine/testing/schema-world';
import type { SchemaWorld } from '@vitrine/testing/schema-world';

let world: SchemaWorld;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const send = (o: Append, who = 'owner') => world.runAs(who, (tx) => appendUpdates(tx, o));

/**
 * A client like the app: its document is the set of known updates, its text is their sequence. It
 * sends until everything was saved.
 */
class Client {
  readonly id = randomUUID();
  readonly project: string;
  readonly known = new Set<string>();
  base = 1;
  #nextSeq = 1;
  #unsent: { client_seq: number; update: string; sha256: string }[] = [];

  constructor(project: string) {
    this.project = project;
  }

  get text(): string {
    return [...this.known].sort().join('\n');
  }

  get isSaved(): boolean {
    return this.#unsent.length === 0;
  }

  edit(): void {
    const bytes = `${this.id} ${String(this.#nextSeq).padStart(6, '0')}`;
    this.known.add(bytes);
    this.#unsent.push(createUpdate(this.#nextSeq++, bytes));
  }

  /** Makes one call; `lost` drops the response, like a broken connection. */
  async send(lost = false): Promise<void> {
    if (this.isSaved) return;
    const sent = [...this.#unsent];
    const answer = await send({
      project: this.project,
      client: this.id,
      base: this.base,
      updates: sent,
      changed: { 'text.txt': this.text },
    });
    if (!lost) this.#take(answer, sent.length);
  }

  #take(answer: AppendAnswer, sent: number): void {
    if (answer.status === 'saved') this.#unsent.splice(0, sent);
    else
      for (const known of answer.updates)
        this.known.add(Buffer.from(known.update, 'base64').toString());
    this.base = answer.seq;
  }

  async sendAll(): Promise<void> {
    while (!this.isSaved) await this.send();
  }
}

/** Expects that the saved text contains all updates, each once, numbered without gaps. */
async function expectNothingLost(project: string, clients: Client[]): Promise<void> {
  const rows = await world.sql<{ seq: number; text: string }[]>`
    select seq::int, convert_from(update, 'utf8') as text from public.document_updates
    where project_id = ${project} order by seq`;
  expect(rows.map((row) => row.seq)).toEqual(rows.map((_, i) => i + 2));
  const all = rows.map((row) => row.text).sort();
  const own = clients.flatMap((client) =>
    [...client.known].filter((text) => text.startsWith(client.id)),
  );
  expect(all).toEqual(own.sort());
  expect(await readProjectFiles(world.sql, project)).toEqual(
    all.length === 0 ? {} : { 'text.txt': all.join('\n') },
  );
}

describe('concurrent clients', () => {
  test('lose nothing: twenty of them, each at its own pace', async () => {
    const project = await newProject(world, {});
    const clients = Array.from({ length: 20 }, () => new Client(project));
    await Promise.all(
      clients.map(async (client, i) => {
        for (let round = 0; round < 3; round++) {
          for (let edit = 0; edit <= i % 3; edit++) client.edit();
          await client.sendAll();
        }
      }),
    );
    await expectNothingLost(project, clients);
  });

  test('lose nothing when two send the same update at once', async () => {
    const project = await newProject(world, {});
    const call = {
      project,
      client: randomUUID(),
      base: 1,
      updates: [createUpdate(1, 'a')],
      changed: { 'text.txt': 'a' },
    };
    const answers = await Promise.all([send(call), send(call), send(call)]);
    const saved = { status: 'saved', seq: 2, revision: 2 };
    const again = { ...saved, again: true };
    expect(answers.toSorted((a, b) => Object.keys(a).length - Object.keys(b).length)).toEqual([
      saved,
      again,
      again,
    ]);
    expect(
      await world.sql`select from public.document_updates where project_id = ${project}`,
    ).toHaveLength(1);
  });

  test('lose nothing in any order of edits, sends and lost responses', async () => {
    const step = fc.record({
      who: fc.nat(2),
      act: fc.constantFrom('edit', 'edit', 'send', 'lost', 'race'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const project = await newProject(world, {});
        const clients = Array.from({ length: 3 }, () => new Client(project));
        for (const { who, act } of steps) {
          const client = clients[who];
          if (act === 'race') await Promise.all(clients.map((each) => each.send()));
          else if (act === 'edit') client?.edit();
          else await client?.send(act === 'lost');
        }
        await Promise.all(clients.map((client) => client.sendAll()));
        await expectNothingLost(project, clients);
      }),
      { numRuns: 40 },
    );
  });

  test('always keep the text of the last accepted call', async () => {
    const project = await newProject(world, {});
    const clients = Array.from({ length: 4 }, () => new Client(project));
    for (let round = 0; round < 12; round++) {
      clients.forEach((client) => client.edit());
      await Promise.all(clients.map((client) => client.send()));
      const rows = await world.sql<{ text: string }[]>`
        select convert_from(update, 'utf8') as text from public.document_updates where project_id = ${project}`;
      expect(await readProjectFiles(world.sql, project)).toEqual({
        'text.txt': rows
          .map((row) => row.text)
          .sort()
          .join('\n'),
      });
    }
  });
});

describe('deleting', () => {
  const deletions = {
    'an account': (person: string) => world.sql`delete from auth.users where id = ${person}`,
    'a project': (person: string) =>
      world.sql`delete from public.projects where owner_id = ${person}`,
  };

  test.each(Object.entries(deletions))('%s waits for a concurrent save', async (_, remove) => {
    const person = randomUUID();
    await addUser(world.sql, person);
    const { id: project } = await world.runAs(person, (tx) =>
      createProject(tx, { id: randomUUID() }),
    );
    // Blocks the save after it has locked the document and before it changes the project.
    const gate = await world.sql.reserve();
    await gate`begin`;
    await gate`lock table public.document_updates in access exclusive mode`;
    const call = { project, client: randomUUID(), base: 1, updates: [createUpdate(1, 'x')] };
    const save = send(call, person);
    await waitForLockWaiters(world.sql, 1);
    const deletion = remove(person).execute();
    await waitForLockWaiters(world.sql, 2);
    await gate`commit`;
    gate.release();
    const [saved] = await Promise.all([save, deletion]);
    expect(saved).toMatchObject({ status: 'saved' });
    expect(
      await world.sql`select from public.documents where project_id = ${project}`,
    ).toHaveLength(0);
  });
});
