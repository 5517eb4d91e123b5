import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFuzzParameters, fuzzTimeoutMs } from '../fuzz-settings.ts';
import {
  appendUpdates,
  createProject,
  createUpdate,
  createVersion,
  listVersions,
  publishVersion,
  readProject,
  readVersion,
  type FileTexts,
  type VersionRow,
} from '@vitrine/testing/schema-calls';
import { addUser, newProject, openWorld } from '@vitrine/testing/schema-world';
import type { SchemaWorld } from '@vitrine/testing/schema-world';

/*
 * One project through hundreds of operations of five users, next to a model that keeps every version
 * whole. After each operation one user reads everything, and in the end all do.
 */

let world: SchemaWorld;
const editor = randomUUID();
const viewer = randomUUID();
beforeAll(async () => {
  world = await openWorld();
  await addUser(world.sql, editor, 'eve');
  await addUser(world.sql, viewer, 'vic');
});
afterAll(() => world.close());

const users = ['owner', editor, viewer, 'stranger', 'anon'] as const;
type User = (typeof users)[number];

interface ModelVersion {
  readonly files: FileTexts;
  readonly reason: string;
  readonly seq: number;
  isPublished: boolean;
}

/** What the database should say. */
class Model {
  files: FileTexts = { 'a.txt': 'start' };
  seq = 1;
  versions: ModelVersion[] = [];
  published: number | null = null;
  visibility = 'private';
  isTrashed = false;
  editorIsMember = true;

  isMember(user: User): boolean {
    return user === 'owner' || user === viewer || (user === editor && this.editorIsMember);
  }

  sees(user: User): boolean {
    if (user === 'owner') return true;
    return !this.isTrashed && (this.isMember(user) || this.visibility !== 'private');
  }

  /** Whether the user finds the project by its id. An unlisted one needs its link. */
  finds(user: User): boolean {
    return this.sees(user) && (this.visibility !== 'unlisted' || this.isMember(user));
  }

  /** The code that an edit of this user is refused with. */
  refusal(user: User, isOwnersAct = false): string | undefined {
    if (!this.finds(user)) return 'not_found_or_private';
    const isAllowed =
      user === 'owner' || (!isOwnersAct && user === editor && this.isMember(editor));
    return isAllowed ? undefined : 'not_allowed';
  }

  sawFiles(user: User): FileTexts | null {
    if (!this.sees(user)) return null;
    if (this.published === null || this.isMember(user)) return this.files;
    return this.versions[this.published - 1]?.files ?? null;
  }

  /** Numbers of the versions that this user sees, the newest first. */
  numbers(user: User): number[] {
    if (!this.sees(user)) return [];
    return this.versions
      .map((version, i) => ({ ...version, number: i + 1 }))
      .filter(
        ({ reason, isPublished, number }) =>
          this.isMember(user) ||
          ((reason === 'named' || isPublished) &&
            (this.published === null || number <= this.published)),
      )
      .map(({ number }) => number)
      .toReversed();
  }

  list(user: User): Pick<VersionRow, 'number' | 'changed' | 'changed_count'>[] {
    const numbers = this.numbers(user);
    return numbers.map((number, i) => {
      const changed = changesOf(
        this.versions[(numbers[i + 1] ?? 0) - 1]?.files ?? {},
        this.versions[number - 1]?.files ?? {},
      );
      return { number, changed, changed_count: changed.length };
    });
  }

  version(user: User, number: number): FileTexts | null {
    return this.numbers(user).includes(number) ? (this.versions[number - 1]?.files ?? null) : null;
  }
}

function changesOf(before: FileTexts, after: FileTexts): VersionRow['changed'] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .toSorted()
    .filter((path) => before[path] !== after[path])
    .map((path) => ({
      path,
      kind: !(path in after) ? 'removed' : path in before ? 'changed' : 'added',
    }));
}

const user = fc.constantFrom(...users);
const texts = fc.dictionary(
  fc.constantFrom('a.txt', 'b.txt', 'c/d.txt', 'Z.txt'),
  fc.constantFrom('one', 'two', '', 'ü'),
  { maxKeys: 3 },
);
const removed = fc.uniqueArray(fc.constantFrom('a.txt', 'b.txt', 'Z.txt'), { maxLength: 1 });
const reason = fc.constantFrom('named', 'named', 'pause', 'restore', 'import', 'fork', 'publish');
const step = fc.record({
  act: fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('edit' as const), texts, removed }) },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('version' as const), reason }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('race' as const), texts }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('publish' as const),
        number: fc.option(fc.integer({ min: 1, max: 12 }), { freq: 4 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('restore' as const),
        number: fc.integer({ min: 1, max: 12 }),
      }),
    },
    fc.record({
      kind: fc.constant('share' as const),
      visibility: fc.constantFrom('private', 'unlisted', 'public', 'public'),
    }),
    fc.record({ kind: fc.constantFrom('trash' as const, 'member' as const, 'fork' as const) }),
  ),
  by: fc.oneof(fc.constant('owner' as const), fc.constant(editor), user),
  reader: user,
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Applies steps to the project and to the model. */
class Run {
  readonly model = new Model();
  readonly project: string;
  readonly slug: string;

  constructor(project: string, slug: string) {
    this.project = project;
    this.slug = slug;
  }

  async apply({ act, by }: Step): Promise<void> {
    switch (act.kind) {
      case 'edit':
        return this.#edit(by, act.texts, act.removed);
      case 'version':
        return this.#version(by, act.reason);
      case 'race':
        return this.#race(act.texts);
      case 'publish':
        return this.#publish(by, act.number);
      case 'restore':
        return this.#restore(by, act.number);
      case 'share':
        this.model.visibility = act.visibility;
        await world.sql`update public.projects set visibility = ${act.visibility}
          where id = ${this.project}`;
        return undefined;
      case 'trash':
        return this.#trash();
      case 'member':
        return this.#toggleEditor();
      case 'fork':
        return this.#fork(by);
    }
  }

  async #edit(by: User, changed: FileTexts, gone: string[]): Promise<void> {
    // A path that is removed and written in one call is written.
    const left = gone.filter((path) => !(path in changed));
    const refusal = this.model.refusal(by);
    if (refusal !== undefined || by === 'anon')
      return this.#expectRefusal(by, refusal, () => this.#save(by, changed, left));
    await this.#save(by, changed, left);
    const files = { ...this.model.files, ...changed };
    for (const path of left) delete files[path];
    this.model.files = files;
    this.model.seq += 1;
  }

  async #save(by: User, changed: FileTexts, gone: string[]): Promise<void> {
    const answer = await world.runAs(by, (tx) =>
      appendUpdates(tx, {
        project: this.project,
        client: randomUUID(),
        base: this.model.seq,
        updates: [createUpdate(1, 'x')],
        changed,
        removed: gone,
        format: 2,
      }),
    );
    expect(answer.status).toBe('saved');
  }

  async #version(by: User, why: string): Promise<void> {
    const keep = () => world.runAs(by, (tx) => createVersion(tx, this.project, { reason: why }));
    const refusal = this.model.refusal(by);
    if (refusal !== undefined || by === 'anon') return this.#expectRefusal(by, refusal, keep);
    const newest = this.model.versions.at(-1);
    const isSame = newest && changesOf(newest.files, this.model.files).length === 0;
    const answer = await keep();
    const isOfSamePause =
      why === 'pause' && this.model.versions.some(({ reason: other }) => other === 'pause');
    const created = why === 'named' || !(isSame || isOfSamePause);
    if (created) this.#addVersion(why, this.model.files, this.model.seq);
    expect(answer).toEqual({ number: this.model.versions.length, created });
  }

  #addVersion(why: string, files: FileTexts, seq: number): void {
    this.model.versions.push({ files, reason: why, seq, isPublished: false });
  }

  /** Saves and creates a version at once: the version has the files of before or after. */
  async #race(changed: FileTexts): Promise<void> {
    const before = this.model.files;
    const [answer] = await Promise.all([
      world.runAs('owner', (tx) => createVersion(tx, this.project)),
      this.#edit('owner', changed, []),
    ]);
    const found = await world.runAs('owner', (tx) => readVersion(tx, this.slug, answer.number));
    const isAfter = found?.seq === this.model.seq;
    this.#addVersion('named', isAfter ? this.model.files : before, found?.seq ?? 0);
    expect(answer.number).toBe(this.model.versions.length);
  }

  async #publish(by: User, number: number | null): Promise<void> {
    const publish = () => world.runAs(by, (tx) => publishVersion(tx, this.project, number));
    const refusal = this.model.refusal(by, true);
    const version = number === null ? undefined : this.model.versions[number - 1];
    const isMissing = number !== null && version === undefined;
    if (refusal !== undefined || by === 'anon' || isMissing)
      return this.#expectRefusal(by, refusal ?? 'not_found_or_private', publish);
    await publish();
    if (version) version.isPublished = true;
    this.model.published = number;
  }

  /** Restores a version as the app does, if the user sees it. */
  async #restore(by: User, number: number): Promise<void> {
    if (this.model.refusal(by) !== undefined || by === 'anon') return;
    const found = await world.runAs(by, (tx) => readVersion(tx, this.slug, number));
    if (!found) return;
    await this.#version(by, 'restore');
    const files = Object.fromEntries(found.files.map(({ path, content }) => [path, content]));
    const gone = Object.keys(this.model.files).filter((path) => !(path in files));
    await this.#edit(by, files, gone);
    await this.#version(by, 'named');
    expect(this.model.files).toEqual(this.model.versions[number - 1]?.files);
  }

  async #trash(): Promise<void> {
    this.model.isTrashed = !this.model.isTrashed;
    const time = this.model.isTrashed ? new Date() : null;
    await world.runAs(
      'owner',
      (tx) => tx`update public.projects set trashed_at = ${time} where id = ${this.project}`,
    );
  }

  async #toggleEditor(): Promise<void> {
    this.model.editorIsMember = !this.model.editorIsMember;
    await (this.model.editorIsMember
      ? world.sql`insert into public.project_members (project_id, user_id, role)
          values (${this.project}, ${editor}, 'editor')`
      : world.sql`delete from public.project_members
          where project_id = ${this.project} and user_id = ${editor}`);
  }

  /** Forks what the user sees. The fork has no versions, and its own don’t count here. */
  async #fork(by: User): Promise<void> {
    const files = this.model.sawFiles(by);
    if (by === 'anon') return;
    const fork = () =>
      world.runAs(by, (tx) =>
        createProject(tx, { id: randomUUID(), files: files ?? {}, forkedFrom: this.project }),
      );
    if (!files) return this.#expectRefusal(by, 'not_found_or_private', fork);
    const { id, slug } = await fork();
    expect(await world.runAs(by, (tx) => listVersions(tx, slug))).toEqual([]);
    expect(await world.runAs(by, (tx) => createVersion(tx, id))).toMatchObject({ number: 1 });
    await world.sql`delete from public.projects where id = ${id}`;
  }

  async #expectRefusal(
    by: User,
    code: string | undefined,
    call: () => Promise<unknown>,
  ): Promise<void> {
    const refused = call().then(
      () => 'it was not refused',
      (error: unknown) => String(error),
    );
    // Visitors may not call it at all.
    expect(await refused).toContain(by === 'anon' ? 'permission denied' : code);
  }

  /** Expects that a user reads what the model says. */
  async check(reader: User): Promise<void> {
    const { model, slug } = this;
    await world.runAs(reader, async (tx) => {
      const project = await readProject(tx, slug);
      expect(toTexts(project)).toEqual(model.sawFiles(reader));
      const rows = await listVersions(tx, slug, { count: 100 });
      expect(
        rows.map(({ number, changed, changed_count }) => ({ number, changed, changed_count })),
      ).toEqual(model.list(reader).slice(0, 100));
      for (let number = 1; number <= model.versions.length + 1; number++)
        expect([number, toTexts(await readVersion(tx, slug, number))]).toEqual([
          number,
          model.version(reader, number),
        ]);
      const stored = await tx<{ path: string; content: string }[]>`
        select path, content from public.project_files where project_id = ${this.project}`;
      // The tables don’t know who has the link of an unlisted project.
      const isListed = model.isMember(reader) || model.visibility === 'public';
      const isShown = model.isMember(reader) || model.published === null;
      expect(Object.fromEntries(stored.map(({ path, content }) => [path, content]))).toEqual(
        model.sees(reader) && isListed && isShown ? model.files : {},
      );
    });
  }
}

function toTexts(found: { files: { path: string; content: string }[] } | null): FileTexts | null {
  return found && Object.fromEntries(found.files.map(({ path, content }) => [path, content]));
}

async function startRun(): Promise<Run> {
  const project = await newProject(world, { 'a.txt': 'start' });
  await world.sql`insert into public.project_members (project_id, user_id, role)
    values (${project}, ${editor}, 'editor'), (${project}, ${viewer}, 'viewer')`;
  const [row] = await world.sql<{ slug: string }[]>`
    select slug from public.projects where id = ${project}`;
  return new Run(project, row?.slug ?? '');
}

test(
  'versions never change, and each user reads those that the rules say',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 40, maxLength: 100, size: 'max' }),
        async (steps) => {
          const run = await startRun();
          for (const each of steps) {
            await run.apply(each);
            await run.check(each.reader);
          }
          for (const reader of users) await run.check(reader);
        },
      ),
      createFuzzParameters(4, 1),
    );
  },
  Math.max(fuzzTimeoutMs, 120_000),
);
