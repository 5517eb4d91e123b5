import { asPerson, type BackendApi } from '../_shared/backend.ts';
import { findPerson, toRecord, type Person } from '../_shared/person.ts';
import { listPictures } from '../_shared/pictures.ts';

export interface Entry {
  readonly name: string;
  readonly input: string | Uint8Array<ArrayBuffer>;
}

/** Rows of a list per request. */
const pageLength = 200;

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
  yield* readPictures(backend, person);
  yield* listProjects(backend, person);
  // When the session has ended meanwhile, rows are missing rather than rejected.
  await findPerson(token);
}

/** Reads the row of `profiles` and the private fields of it. */
async function readProfile(backend: BackendApi, { id }: Person): Promise<unknown> {
  const columns = 'id,username,display_name,bio,website,avatar_path,created_at,updated_at';
  const profile = await readRow(backend, `profiles?id=eq.${id}&select=${columns}`);
  const status = await backend.read(`/rest/v1/rpc/account_status?person=${id}`);
  return { ...toRecord(profile), ...toRecord(status) };
}

async function* readPictures(backend: BackendApi, person: Person): AsyncGenerator<Entry> {
  for await (const name of listPictures(backend, person.id)) {
    const path = name.split('/').map(encodeURIComponent).join('/');
    const answer = await backend.ask(`/storage/v1/object/public/avatars/${path}`);
    // The picture was replaced after it was listed.
    if (answer.status === 400 || answer.status === 404) continue;
    if (!answer.ok) throw new Error(`couldn’t read a picture: ${answer.status}`);
    const own = name.slice(person.id.length + 1);
    yield { name: `pictures/${own}`, input: new Uint8Array(await answer.arrayBuffer()) };
  }
}

async function* listProjects(backend: BackendApi, person: Person): AsyncGenerator<Entry> {
  const columns =
    'id,slug,title,description,visibility,settings,is_template,revision,trashed_at,created_at,updated_at';
  for (let offset = 0; ; offset += pageLength) {
    const page = await backend.read(
      `/rest/v1/projects?owner_id=eq.${person.id}&select=${columns}&order=id&limit=${pageLength}&offset=${offset}`,
    );
    const rows = Array.isArray(page) ? page.map(toRecord) : [];
    for (const row of rows) yield* listProject(backend, row);
    if (rows.length < pageLength) return;
  }
}

async function* listProject(
  backend: BackendApi,
  row: Record<string, unknown>,
): AsyncGenerator<Entry> {
  const slug = String(row['slug']);
  const folder = `projects/${folderName(String(row['title']))}-${slug}`;
  // Reads all files in one revision.
  const project = toRecord(await backend.read(`/rest/v1/rpc/read_project?slug=${slug}`));
  yield json(`${folder}/project.json`, {
    ...row,
    forked_from: project['forked_from'] ?? null,
    assets: project['assets'] ?? [],
  });
  const files = Array.isArray(project['files']) ? project['files'].map(toRecord) : [];
  for (const { path, content } of files) {
    yield { name: `${folder}/files/${String(path)}`, input: String(content) };
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
