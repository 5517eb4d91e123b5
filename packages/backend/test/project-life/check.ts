import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { VersionRow } from '@vitrine/testing/schema-calls';
import { readFiles, type ProjectFile, type ProjectFiles } from '@vitrine/project';
import { expect } from 'vitest';
import * as Y from 'yjs';
import { applyLoaded } from './device.ts';
import { listDifferences, readers, type ProjectModel, type Reader } from './model.ts';
import { hashOf, parseFiles, type Scenario } from './scenario.ts';

/** How much is compared. What is left out is compared by one of the next checks. */
interface CheckOptions {
  /** Number of the check, which chooses what is compared. */
  readonly round: number;
  readonly isComplete: boolean;
}

/** Expects that everyone reads and may write what the model says, and nothing else. */
export async function check(scenario: Scenario, options: CheckOptions): Promise<void> {
  const { project } = scenario;
  for (const reader of readers) {
    await Promise.all([
      ...(project
        ? [
            checkProject(scenario, project, reader),
            checkTables(scenario, project, reader),
            checkDocument(scenario, project, reader),
            checkPeople(scenario, project, reader),
            checkTimeline(scenario, project, reader),
            checkVersions(scenario, project, reader, options),
            checkWrites(scenario, project, reader, options),
            checkForks(scenario, project, reader),
          ]
        : []),
      ...(options.isComplete ? [checkDeleted(scenario, reader)] : []),
      checkObjects(scenario, reader, options),
      checkForkFiles(scenario, reader, options),
    ]);
  }
  if (options.isComplete) await checkStored(scenario);
}

async function checkProject(
  scenario: Scenario,
  project: ProjectModel,
  reader: Reader,
): Promise<void> {
  const { data, code } = await scenario.call(reader, 'read_project', { slug: project.slug });
  expect(code).toBeUndefined();
  const files = project.readFiles(reader);
  expectFiles(['read_project', reader], data && parseFiles(data), files);
  if (!files) return;
  const role = project.roleOf(reader);
  expect([reader, data]).toEqual([
    reader,
    expect.objectContaining({
      id: project.id,
      title: project.title,
      role,
      works_on: role !== null,
      may_edit: project.mayEdit(reader),
      published_version: project.publishedVersion,
      owner: expect.objectContaining({ id: scenario.instance.ids[project.owner] }),
      fork_count: project.forkCount,
    }),
  ]);
}

/** A row of `projects` with what belongs to it. Visitors read the files only. */
interface ProjectRow {
  project_files: FileRow[];
  documents?: { seq: number; document_updates: { seq: number; sha256: string }[] } | null;
  project_members?: { user_id: string; role: string }[];
  invitations?: { id: string }[];
}

interface FileRow {
  path: string;
  content: string | null;
  hash: string | null;
}

/** What the tables show, which don't know whether someone has the link. */
async function checkTables(
  scenario: Scenario,
  project: ProjectModel,
  reader: Reader,
): Promise<void> {
  const columns = 'title, project_files(path, content, hash, size, media_type, uploader)';
  const own = ', documents(seq, document_updates(seq, sha256)), project_members(user_id, role)';
  const { data, error } = await scenario
    .clientOf(reader)
    .from('projects')
    .select(columns + (reader === 'visitor' ? '' : `${own}, invitations(id)`))
    .eq('id', project.id)
    .returns<ProjectRow[]>();
  expect(error).toBeNull();
  expect(['projects', reader, data?.length]).toEqual([
    'projects',
    reader,
    project.isListed(reader) ? 1 : 0,
  ]);
  const row = data?.[0];
  if (!row) return;
  const role = project.roleOf(reader);
  const isShown = role !== null || project.publishedVersion === null;
  const files = toFiles(row.project_files);
  expectFiles(['project_files', reader], files, isShown ? project.files : new Map());
  if (reader === 'visitor') return;
  const { ids } = scenario.instance;
  const updates = row.documents?.document_updates.toSorted((one, other) => one.seq - other.seq);
  const checksums = updates?.map(({ sha256 }) => sha256);
  const member = project.members.get(reader);
  expect([reader, row.documents?.seq, checksums, row.project_members]).toEqual([
    reader,
    role === null ? undefined : project.seq,
    role === null ? undefined : project.updates.map((hash) => `\\x${hash}`),
    member ? [{ user_id: ids[reader], role: member }] : [],
  ]);
  const known = project.invitations.filter(
    ({ createdBy, target, acceptedBy }) =>
      createdBy === reader || target === reader || acceptedBy === reader,
  );
  expect(known.map(({ id }) => id)).toEqual(expect.arrayContaining(listIds(row.invitations ?? [])));
}

/** The document has the same files, so nothing that was acknowledged is lost. */
async function checkDocument(
  scenario: Scenario,
  project: ProjectModel,
  reader: Reader,
): Promise<void> {
  const { data, code } = await scenario.call(reader, 'load_document', { project: project.id });
  const isAllowed = project.roleOf(reader) !== null;
  const refusal = reader === 'visitor' ? 'permission denied' : 'not_found_or_private';
  expect(['load_document', reader, code]).toEqual([
    'load_document',
    reader,
    isAllowed ? undefined : refusal,
  ]);
  if (!isAllowed) return;
  const doc = new Y.Doc();
  applyLoaded(doc, data);
  expectFiles(['load_document', reader], readFiles(doc), withoutUploaders(project.files));
}

async function checkPeople(
  scenario: Scenario,
  project: ProjectModel,
  reader: Reader,
): Promise<void> {
  const { data, code } = await scenario.call(reader, 'list_people', { project: project.id });
  const role = project.roleOf(reader);
  const refusal = project.isListed(reader) ? 'not_allowed' : 'not_found_or_private';
  expect(['list_people', reader, code]).toEqual([
    'list_people',
    reader,
    reader === 'visitor' ? 'permission denied' : role === null ? refusal : undefined,
  ]);
  const { ids } = scenario.instance;
  if (role !== null) {
    const pending = project.pendingInvitations.filter((each) => each.createdBy === project.owner);
    expect([reader, data]).toEqual([
      reader,
      expect.objectContaining({
        role,
        owner: expect.objectContaining({ id: ids[project.owner] }),
        members: [...project.members].map(([user, held]) =>
          expect.objectContaining({ id: ids[user], role: held }),
        ),
      }),
    ]);
    expect(listIds(data.invitations)).toEqual(role === 'owner' ? listIds(pending) : []);
  }
  if (reader === 'visitor') return;
  const offered = await scenario.call(reader, 'list_invitations', {});
  expect(listIds(offered.data)).toEqual(
    listIds(
      project.invitations.filter((each) => each.kind !== 'link' && project.isOffered(reader, each)),
    ),
  );
}

async function checkTimeline(
  scenario: Scenario,
  project: ProjectModel,
  reader: Reader,
): Promise<void> {
  const args = { slug: project.slug, count: 100 };
  const { data } = await scenario.call(reader, 'list_versions', args);
  const numbers = project.listVersions(reader);
  const expected = numbers.map((number, at) => {
    const version = project.versions[number - 1];
    const before = project.versions[(numbers[at + 1] ?? 0) - 1];
    const [old, files] = [before?.files, version?.files ?? new Map<string, ProjectFile>()].map(
      (each) => withoutUploaders(each ?? new Map()),
    );
    return {
      number,
      reason: version?.reason,
      message: version?.message,
      changed: listDifferences(old ?? new Map(), files ?? new Map()).toSorted(),
    };
  });
  const actual = (data as VersionRow[]).map(({ number, reason, message, changed }) => ({
    number,
    reason,
    message,
    changed: changed.map(({ path }) => path).toSorted(),
  }));
  expect([reader, actual]).toEqual([reader, expected]);
}

/** Versions never change: each has the files of the moment when it was created. */
async function checkVersions(
  scenario: Scenario,
  project: ProjectModel,
  reader: Reader,
  { round, isComplete }: CheckOptions,
): Promise<void> {
  const numbers = Array.from({ length: project.versions.length + 1 }, (_, at) => at + 1);
  const chosen = numbers.filter(
    (number) =>
      isComplete || number === numbers.length - 1 || number === 1 + (round % numbers.length),
  );
  for (const number of chosen) {
    const args = { slug: project.slug, number };
    const { data } = await scenario.call(reader, 'read_version', args);
    const version = project.readVersion(reader, number);
    expectFiles(['version', number, reader], data && parseFiles(data), version?.files ?? null);
  }
}

/** Each call fails without an effect; how it fails says whether the reader was allowed to do it. */
async function checkWrites(
  scenario: Scenario,
  project: ProjectModel,
  reader: Reader,
  { round, isComplete }: CheckOptions,
): Promise<void> {
  const id = { project: project.id };
  const edit = project.findRefusal(reader);
  const own = project.findRefusal(reader, true);
  const attempts: [string, Record<string, unknown>, string | undefined][] = [
    [
      'append_updates',
      { ...id, client: randomUUID(), base: 1, updates: [], changed: [], removed: [] },
      edit ?? 'save_refused',
    ],
    ['create_version', { ...id, reason: 'none' }, edit ?? 'bad_request'],
    ['publish_version', { ...id, number: 1_000_000 }, own ?? 'not_found_or_private'],
    ['invite_to_project', { ...id, role: 'none' }, own ?? 'bad_request'],
    ['set_member_role', { ...id, member: randomUUID(), role: 'none' }, own ?? 'bad_request'],
    ['remove_member', { ...id, member: randomUUID() }, own],
    [
      'tag_projects',
      { projects: [project.id] },
      own === undefined || reader === 'visitor' ? own : 'not_found_or_private',
    ],
  ];
  for (const [at, [name, args, expected]] of attempts.entries()) {
    if (!isComplete && at !== round % attempts.length) continue;
    const { code } = await scenario.call(reader, name, args);
    expect([name, reader, code]).toEqual([name, reader, expected]);
  }
}

async function checkForks(
  scenario: Scenario,
  project: ProjectModel,
  reader: Reader,
): Promise<void> {
  const { data } = await scenario.call(reader, 'list_forks', { slug: project.slug });
  const forks = scenario.objects.forks.filter(
    ({ owner, original }) => owner === reader && original === project.id,
  );
  expect([reader, data && { ...data, forks: listSlugs(data.forks) }]).toEqual([
    reader,
    project.isVisible(reader) ? { total: project.forkCount, forks: listSlugs(forks) } : null,
  ]);
}

/** A fork has what was forked, whatever became of the original, and is its owner's alone. */
async function checkForkFiles(
  scenario: Scenario,
  reader: Reader,
  { round, isComplete }: CheckOptions,
): Promise<void> {
  for (const [at, { slug, owner, files }] of scenario.objects.forks.entries()) {
    if (!isComplete && at !== round % scenario.objects.forks.length) continue;
    const { data } = await scenario.call(reader, 'read_project', { slug });
    expectFiles(['fork', reader], data && parseFiles(data), owner === reader ? files : null);
  }
}

/** Nothing of a project is left after it was deleted for good. */
async function checkDeleted(scenario: Scenario, reader: Reader): Promise<void> {
  const last = scenario.deleted.at(-1);
  if (!last) return;
  const { slug, id } = last;
  const found = await scenario.call(reader, 'read_project', { slug });
  const version = await scenario.call(reader, 'read_version', { slug, number: 1 });
  const document = await scenario.call(reader, 'load_document', { project: id });
  expect([found.data, version.data, document.data]).toEqual([null, null, null]);
}

/** Bytes are there as long as somebody may read them, and for nobody else. */
async function checkObjects(
  scenario: Scenario,
  reader: Reader,
  { round, isComplete }: CheckOptions,
): Promise<void> {
  const { objects } = scenario;
  const readable = new Set(objects.listReadable(reader));
  const names = [...objects.known];
  for (const [at, name] of names.entries()) {
    if (!isComplete && at % 3 !== round % 3) continue;
    const { data } = await scenario.clientOf(reader).storage.from('assets').download(name);
    expect(['object', name, reader, data && (await data.text())]).toEqual([
      'object',
      name,
      reader,
      readable.has(name) ? objects.stored.get(name) : null,
    ]);
  }
}

/** The folder has the bytes of each object and no other files. */
async function checkStored({ instance, objects }: Scenario): Promise<void> {
  const rows = await instance.test.database.sql<{ name: string }[]>`
    select name from storage.objects where bucket_id = 'assets'`;
  expect(rows.map(({ name }) => name).toSorted()).toEqual([...objects.stored.keys()].toSorted());
  for (const [name, bytes] of objects.stored) expect(name.endsWith(hashOf(bytes))).toBe(true);
  const folder = instance.test.storageDir;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(
    (entry) => entry.isFile() && entry.parentPath !== join(folder, 'lost'),
  );
  expect(files).toHaveLength(objects.stored.size);
}

function toFiles(rows: readonly FileRow[]): ProjectFiles {
  return parseFiles({
    files: rows.flatMap(({ path, content }) => (content === null ? [] : { path, content })),
    assets: rows.filter(({ hash }) => hash !== null),
  });
}

function withoutUploaders(files: ProjectFiles): ProjectFiles {
  return new Map(
    [...files].map(([path, file]): [string, ProjectFile] => {
      if (file.kind === 'text') return [path, file];
      const { uploader: _, ...asset } = file;
      return [path, asset];
    }),
  );
}

function expectFiles(
  label: readonly unknown[],
  actual: ProjectFiles | null,
  expected: ProjectFiles | null,
): void {
  expect([...label, actual && Object.fromEntries(actual)]).toEqual([
    ...label,
    expected && Object.fromEntries(expected),
  ]);
}

const listIds = (rows: readonly { id: string }[] | null) =>
  (rows ?? []).map(({ id }) => id).toSorted();
const listSlugs = (rows: readonly { slug: string }[]) => rows.map(({ slug }) => slug).toSorted();
