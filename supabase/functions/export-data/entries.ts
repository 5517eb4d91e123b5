import { asPerson, type BackendApi } from '../_shared/backend.ts';
import { listObjects, readObject } from '../_shared/objects.ts';
import { findPerson, toRecord, type Person } from '../_shared/person.ts';

export interface Entry {
  readonly name: string;
  readonly input: string | Uint8Array<ArrayBuffer>;
}

/** Rows of a list per request. */
const pageLength = 200;

const versionsPerRequest = 100;

/**
 * Yields the files of the archive one by one, so that only one project is in memory. They contain
 * what the user may read.
 */
export async function* listEntries(token: string, person: Person): AsyncGenerator<Entry> {
  const backend = asPerson(token);
  yield json('account.json', person.account);
  yield json('profile.json', await readProfile(backend, person));
  yield json(
    'preferences.json',
    await readRow(backend, `preferences?user_id=eq.${person.id}&select=*`),
  );
  yield json('sessions.json', await backend.read('/rest/v1/rpc/my_sessions'));
  yield json('memberships.json', await readAll(backend, membershipQuery));
  yield json('invitations.json', await readAll(backend, invitationQuery));
  yield json('collections.json', await readCollections(backend, person));
  yield* readPictures(backend, person);
  /** Names of the objects of assets that are in a project. */
  const exported = new Set<string>();
  yield* listProjects(backend, person, exported);
  yield* readUploads(backend, person, exported);
  // When the session has ended meanwhile, rows are missing rather than rejected.
  await findPerson(token);
}

/** Projects of others. One in the trash is null. */
const membershipQuery =
  'project_members?select=role,created_at,project:projects(slug,title,owner:profiles!projects_owner_id_fkey(username))&order=project_id';

/** Invitations that the user made or got. */
const invitationQuery =
  'invitations?select=id,project_id,kind,role,invited_user,email,created_by,created_at,expires_at,uses,accepted_by,accepted_at,declined_at,revoked_at&order=id';

/** Reads the row of `profiles` and the private fields of it. */
async function readProfile(backend: BackendApi, { id }: Person): Promise<unknown> {
  const columns = 'id,username,display_name,bio,website,avatar_path,created_at,updated_at';
  const profile = await readRow(backend, `profiles?id=eq.${id}&select=${columns}`);
  const status = await backend.read(`/rest/v1/rpc/account_status?person=${id}`);
  return { ...toRecord(profile), ...toRecord(status) };
}

/** Reads the user's collections, with their projects in order. */
async function readCollections(backend: BackendApi, { id }: Person): Promise<unknown> {
  const columns = 'id,slug,title,description,visibility,created_at,updated_at';
  const items = 'projects:collection_items(project_id,note,created_at)';
  const rows = await backend.read(
    `/rest/v1/collections?owner_id=eq.${id}&select=${columns},${items}&order=created_at&projects.order=position`,
  );
  const collections: unknown[] = [];
  for (const row of Array.isArray(rows) ? rows.map(toRecord) : []) {
    // No client may select the column `cover_id`.
    const found = await backend.read(`/rest/v1/rpc/read_collection?slug=${String(row['slug'])}`);
    collections.push({ ...row, cover_id: toRecord(found)['cover_id'] ?? null });
  }
  return collections;
}

async function* readPictures(backend: BackendApi, person: Person): AsyncGenerator<Entry> {
  for await (const name of listObjects(backend, 'avatars', person.id)) {
    const path = name.split('/').map(encodeURIComponent).join('/');
    const input = await readObject(backend, `public/avatars/${path}`);
    const own = name.slice(person.id.length + 1);
    if (input) yield { name: `pictures/${own}`, input };
  }
}

/** Reads the uploads that aren't in a project of the user, such as those removed lately. */
async function* readUploads(
  backend: BackendApi,
  person: Person,
  exported: ReadonlySet<string>,
): AsyncGenerator<Entry> {
  for await (const name of listObjects(backend, 'assets', person.id)) {
    if (exported.has(name)) continue;
    const input = await readObject(backend, `authenticated/assets/${name}`);
    if (input) yield { name: `uploads/${name.slice(person.id.length + 1)}`, input };
  }
}

async function* listProjects(
  backend: BackendApi,
  person: Person,
  exported: Set<string>,
): AsyncGenerator<Entry> {
  const columns =
    'id,slug,title,description,visibility,settings,is_template,revision,published_version,trashed_at,created_at,updated_at,project_tags(tag)';
  for (let offset = 0; ; offset += pageLength) {
    const page = await backend.read(
      `/rest/v1/projects?owner_id=eq.${person.id}&select=${columns}&order=id&limit=${pageLength}&offset=${offset}`,
    );
    const rows = Array.isArray(page) ? page.map(toRecord) : [];
    for (const row of rows) yield* listProject(backend, row, exported);
    if (rows.length < pageLength) return;
  }
}

async function* listProject(
  backend: BackendApi,
  row: Record<string, unknown>,
  exported: Set<string>,
): AsyncGenerator<Entry> {
  const slug = String(row['slug']);
  const folder = `projects/${folderName(String(row['title']))}-${slug}`;
  // Reads all files in one revision.
  const project = toRecord(await backend.read(`/rest/v1/rpc/read_project?slug=${slug}`));
  const { project_tags: tags, ...columns } = row;
  yield json(`${folder}/project.json`, {
    ...columns,
    tags: Array.isArray(tags) ? tags.map((each) => toRecord(each)['tag']) : [],
    forked_from: project['forked_from'] ?? null,
    assets: project['assets'] ?? [],
  });
  yield* listFiles(backend, project, folder, exported);
  yield* listVersions(backend, slug, folder, exported);
}

/** Yields each version with the files that it changed, so that no file comes twice. */
async function* listVersions(
  backend: BackendApi,
  slug: string,
  folder: string,
  exported: Set<string>,
): AsyncGenerator<Entry> {
  const list = `/rest/v1/rpc/list_versions?slug=${slug}&count=${versionsPerRequest}`;
  for (let before = ''; ;) {
    const page = await backend.read(`${list}${before}`);
    const rows = Array.isArray(page) ? page.map(toRecord) : [];
    for (const { number } of rows) {
      const base = Number(number) > 1 ? `&base=${Number(number) - 1}` : '';
      const version = toRecord(
        await backend.read(
          `/rest/v1/rpc/read_version?slug=${slug}&number=${Number(number)}${base}`,
        ),
      );
      const { files: _, project: __, ...details } = version;
      const versionFolder = `${folder}/versions/${Number(number)}`;
      yield json(`${versionFolder}/version.json`, details);
      yield* listFiles(backend, version, versionFolder, exported);
      before = `&before=${Number(number)}`;
    }
    if (rows.length < versionsPerRequest) return;
  }
}

/** Yields the texts and assets of a project or a version. */
async function* listFiles(
  backend: BackendApi,
  read: Record<string, unknown>,
  folder: string,
  exported: Set<string>,
): AsyncGenerator<Entry> {
  const files = Array.isArray(read['files']) ? read['files'].map(toRecord) : [];
  for (const { path, content } of files) {
    yield { name: `${folder}/files/${String(path)}`, input: String(content) };
  }
  const assets = Array.isArray(read['assets']) ? read['assets'].map(toRecord) : [];
  for (const { path, uploader, hash } of assets) {
    const name = `${String(uploader)}/${String(hash)}`;
    const input = await readObject(backend, `authenticated/assets/${name}`);
    if (!input) continue;
    exported.add(name);
    yield { name: `${folder}/files/${String(path)}`, input };
  }
}

/** Reads all rows of an ordered query. */
async function readAll(backend: BackendApi, query: string): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (;;) {
    const page = await backend.read(`/rest/v1/${query}&limit=${pageLength}&offset=${rows.length}`);
    if (!Array.isArray(page)) throw new Error(`not a list: ${query}`);
    rows.push(...page);
    if (page.length < pageLength) return rows;
  }
}

async function readRow(backend: BackendApi, query: string): Promise<unknown> {
  const rows = await backend.read(`/rest/v1/${query}`);
  return Array.isArray(rows) ? (rows[0] ?? null) : null;
}

function json(name: string, value: unknown): Entry {
  return { name, input: `${JSON.stringify(value, null, 2)}\n` };
}

/** Creates a folder name for any file system: "Boids: a flock?" → "boids-a-flock". */
function folderName(title: string): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.join('-').slice(0, 60) || 'project';
}
