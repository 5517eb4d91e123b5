import {
  computeChecksum,
  createNewProject,
  openDocument,
  type LiveDocument,
} from '@vitrine/collaboration';
import {
  createDocumentFromFiles,
  findErrorCode,
  isRecord,
  isUnreachable,
  isVisibility,
  limits,
  VitrineError,
  type AssetFile,
  type ErrorCode,
  type ProjectFile,
  type Visibility,
} from '@vitrine/project';
import type { SupabaseClient } from '@supabase/supabase-js';
import { encodeStateAsUpdate } from 'yjs';
import { AssetStore } from '../../assets/asset-store.ts';
import { tagProjects } from '../../projects/project-changes.ts';
import type { PageSettings } from '../../request-context.ts';
import { loadClient } from '../../session/load-client.ts';
import { ProjectText } from '../../workspace/code/project-text.ts';
import { callDatabase, createProjectApi } from '../../workspace/saving/project-api.ts';
import type { ZipEntry } from '../../import/read-zip.ts';
import {
  readContent,
  type Archive,
  type ArchivedCollection,
  type ArchivedFiles,
  type ArchivedProject,
} from './read-archive.ts';

/** What to do with a project or a collection of an archive. */
export type ImportAction = 'update' | 'copy' | 'skip';

/** What the user has chosen in the dialog. */
export interface ImportChoices {
  /** By the ids of projects and collections in the archive. */
  readonly actions: ReadonlyMap<string, ImportAction>;
  /** Whether what is added gets the visibility that it has in the archive, instead of "private". */
  readonly keepsVisibility: boolean;
}

interface ImportRun extends ImportChoices {
  readonly signal: AbortSignal;
  /** Called with the number of projects that are done. */
  readonly onProgress: (done: number) => void;
}

/** What has become of an archive's projects. Running the import again continues with what is left. */
export interface ImportOutcome {
  readonly added: number;
  readonly updated: number;
  readonly skipped: number;
  /** Projects that can't be imported as they are. */
  readonly failed: readonly { readonly title: string; readonly code: ErrorCode }[];
  /** Why the import stopped. Undefined if all was tried, or after a cancel. */
  readonly stopped: ErrorCode | undefined;
}

/** A project or collection that an earlier import of an archive has created. */
export interface EarlierImport {
  readonly id: string;
  readonly visibility: Visibility;
  readonly isInTrash: boolean;
  /** Whether that import was completed. */
  readonly isComplete: boolean;
  /** Named versions of a project, oldest first. */
  readonly versions: readonly { readonly number: number; readonly message: string }[];
}

/** Message of the version that says that a project is complete. */
const completeMessage = 'Imported';
/** Ids that the database function `find_created` takes. */
const maxKeys = 500;

/** Errors that the next project would have, too. */
const stopping: ReadonlySet<ErrorCode> = new Set([
  'rate_limited',
  'too_many_attempts',
  'session_expired',
  'suspended',
  'storage_full',
  'not_allowed',
  'reload_required',
]);

/**
 * The import of an archive into the user's account. It creates projects and collections, and changes
 * only those that an earlier import of the same account's archive has created, if the user says so.
 * Nothing that exists gets another visibility.
 */
export class ArchiveImport {
  readonly archive: Archive;
  /** What earlier imports have created, by the ids in the archive. */
  readonly earlier: ReadonlyMap<string, EarlierImport>;
  readonly #client: SupabaseClient;
  /** Id of the user, who becomes the owner. */
  readonly #owner: string;
  readonly #api;
  readonly #assets: AssetStore;
  readonly #uploaded = new Set<string>();
  /** Creation keys of the copies that this import adds, by the ids in the archive. */
  readonly #copies = new Map<string, string>();
  /** Results of the projects that are done, by the ids in the archive. */
  readonly #done = new Map<string, 'added' | 'updated'>();
  /** Ids of projects in this instance, by those in the archive. */
  readonly #ids = new Map<string, string>();

  /** Of the current run. */
  #signal = AbortSignal.abort();

  /** Looks up what earlier imports of this archive have created. */
  static async open(archive: Archive, page: PageSettings, owner: string): Promise<ArchiveImport> {
    const client = await loadClient(page);
    const items = [...archive.projects, ...archive.collections];
    const earlier = new Map<string, EarlierImport>();
    for (let start = 0; start < items.length; start += maxKeys) {
      const keys = new Map<string, string>();
      for (const { id } of items.slice(start, start + maxKeys))
        keys.set(await computeKey(archive.account, id), id);
      for (const [key, found] of await findCreated(client, [...keys.keys()]))
        earlier.set(keys.get(key) ?? '', found);
    }
    return new ArchiveImport(client, archive, earlier, page, owner);
  }

  private constructor(
    client: SupabaseClient,
    archive: Archive,
    earlier: ReadonlyMap<string, EarlierImport>,
    page: PageSettings,
    owner: string,
  ) {
    this.archive = archive;
    this.earlier = earlier;
    this.#client = client;
    this.#owner = owner;
    this.#api = createProjectApi(() => Promise.resolve(client));
    this.#assets = new AssetStore({ page, userId: owner, sources: new Map() });
  }

  /** Imports projects one by one, then collections. */
  async run(run: ImportRun): Promise<ImportOutcome> {
    const { projects, collections } = this.archive;
    const failed: { title: string; code: ErrorCode }[] = [];
    this.#signal = run.signal;
    let skipped = 0;
    let stopped: ErrorCode | undefined;
    for (const [index, project] of projects.entries()) {
      if (run.signal.aborted) break;
      run.onProgress(index);
      try {
        if (!(await this.#importProject(project, run))) skipped += 1;
      } catch (error) {
        if (run.signal.aborted) break;
        const code = findErrorCode(error);
        if (stopping.has(code) || isUnreachable(code)) {
          stopped = code;
          break;
        }
        failed.push({ title: project.title, code });
      }
    }
    if (stopped === undefined && !run.signal.aborted) run.onProgress(projects.length);
    try {
      if (stopped === undefined)
        for (const collection of collections) {
          if (run.signal.aborted) break;
          await this.#importCollection(collection, run);
        }
    } catch (error) {
      stopped = findErrorCode(error);
    }
    const done = [...this.#done.values()];
    const added = done.filter((result) => result === 'added').length;
    return { added, updated: done.length - added, skipped, failed, stopped };
  }

  /** Creates or updates a project, unless that is done. False if it is skipped. */
  async #importProject(archived: ArchivedProject, run: ImportRun): Promise<boolean> {
    if (this.#done.has(archived.id)) return true;
    const action = run.actions.get(archived.id) ?? 'skip';
    if (action === 'skip') {
      const earlier = this.earlier.get(archived.id);
      if (earlier) this.#ids.set(archived.id, earlier.id);
      return false;
    }
    const key = await this.#chooseKey(archived.id, action);
    const existing = (await findCreated(this.#client, [key])).get(key);
    const target = existing ?? (await this.#createProject(archived, key));
    const { id } = target;
    const { sendUpdates: send, loadDocument: load } = this.#api;
    const owner = this.#owner;
    const document = await openDocument({ id, kind: 'project', owner, send, load });
    try {
      if (action === 'update') await this.#api.createVersion(id, 'import', '');
      await this.#fillProject(archived, target, document);
    } finally {
      await document.close();
    }
    if (action === 'copy') await this.#arrangeCopy(id, archived, run);
    this.#ids.set(archived.id, id);
    this.#done.set(archived.id, action === 'copy' ? 'added' : 'updated');
    return true;
  }

  /** The key of what an earlier import has created, or of a copy beside it. */
  async #chooseKey(id: string, action: 'copy' | 'update'): Promise<string> {
    if (action === 'update' || !this.earlier.has(id))
      return await computeKey(this.archive.account, id);
    const key = this.#copies.get(id) ?? crypto.randomUUID();
    this.#copies.set(id, key);
    return key;
  }

  async #createProject(archived: ArchivedProject, key: string): Promise<EarlierImport> {
    const { title, versions } = archived;
    const files = await this.#readFiles(versions[0]?.files ?? archived.files);
    const state = Uint8Array.from(encodeStateAsUpdate(createDocumentFromFiles(files)));
    const { id } = await this.#api.createProject(await createNewProject(key, state, files), {
      title,
      visibility: 'private',
      forkedFrom: null,
      forkedFromVersion: null,
    });
    return { id, visibility: 'private', isInTrash: false, isComplete: false, versions: [] };
  }

  /** Gives a project the files and details that it has in the archive, and its versions if it is new. */
  async #fillProject(
    archived: ArchivedProject,
    target: EarlierImport,
    document: LiveDocument,
  ): Promise<void> {
    const { description, settings, isTemplate, tags, title } = archived;
    const { id } = target;
    const text = new ProjectText(document.doc, { onRename() {}, onReplace() {} });
    const save = async (files: ArchivedFiles) => {
      this.#signal.throwIfAborted();
      text.replaceAll(await this.#readFiles(files));
      await document.flush();
    };
    try {
      // Others see the named versions of a project that they see, which may have private text.
      const isUnfinished = !target.isComplete && target.visibility === 'private';
      if (isUnfinished) await this.#addVersions(archived, target, save);
      await save(archived.files);
      const columns = { title, description, settings, is_template: isTemplate };
      await this.#updateProject(id, columns);
      if (tags.length > 0) await tagProjects(this.#client, [id], { added: tags });
      if (isUnfinished) await this.#api.createVersion(id, 'named', completeMessage);
    } finally {
      text.close();
    }
  }

  /** Creates the versions that a project doesn't have yet, and publishes the one that was. */
  async #addVersions(
    { versions, publishedVersion }: ArchivedProject,
    { id, versions: found }: EarlierImport,
    save: (files: ArchivedFiles) => Promise<void>,
  ): Promise<void> {
    const existing = [...found];
    for (const version of versions) {
      const message = describeVersion(version.message, version.createdAt);
      const at = existing.findIndex((other) => other.message === message);
      let number = at < 0 ? undefined : existing.splice(at, 1)[0]?.number;
      if (number === undefined) {
        await save(version.files);
        number = await this.#api.createVersion(id, 'named', message);
      }
      if (version === publishedVersion)
        await callDatabase(this.#client.rpc('publish_version', { project: id, number }));
    }
  }

  /** Gives a copy, which is private until it is complete, its visibility. */
  async #arrangeCopy(
    id: string,
    { visibility, isInTrash }: ArchivedProject,
    { keepsVisibility }: ImportChoices,
  ): Promise<void> {
    if (!keepsVisibility && !isInTrash) return;
    await this.#updateProject(id, {
      ...(keepsVisibility && { visibility }),
      ...(isInTrash && { trashed_at: new Date().toISOString() }),
    });
  }

  async #updateProject(id: string, columns: object): Promise<void> {
    await callDatabase(
      this.#client.from('projects').update(columns).eq('id', id).select('id').single(),
    );
  }

  /** Reads files, and uploads those that are assets. */
  async #readFiles(files: ArchivedFiles): Promise<Map<string, ProjectFile>> {
    const read = new Map<string, ProjectFile>();
    for (const [path, file] of files) {
      const content = await readContent(file);
      if (typeof content !== 'string') await this.#upload(content, file.entry);
      read.set(path, typeof content === 'string' ? { kind: 'text', text: content } : content);
    }
    return read;
  }

  /** Uploads an asset, unless this import or an earlier one has. */
  async #upload(asset: AssetFile, entry: ZipEntry): Promise<void> {
    if (this.#uploaded.has(asset.hash)) return;
    if (!(await this.#assets.isUploaded(asset))) {
      const bytes = await entry.read();
      // Storage of hosted backends doesn't compare them.
      if ((await computeChecksum(bytes)) !== asset.hash)
        throw new VitrineError('zip_damaged', entry.path);
      const signal = this.#signal;
      await this.#assets.upload(asset, new Blob([bytes]), { onProgress() {}, signal });
    }
    this.#uploaded.add(asset.hash);
  }

  /** Creates or updates a collection, with those of its projects that are here. */
  async #importCollection(archived: ArchivedCollection, run: ImportRun): Promise<void> {
    const { title, description, visibility, items, cover } = archived;
    const action = run.actions.get(archived.id) ?? 'skip';
    if (action === 'skip') return;
    const supabase = this.#client;
    const own = items.flatMap(({ project, note }) => {
      const id = this.#ids.get(project);
      return id === undefined ? [] : [{ id, project, note }];
    });
    const projects = own.map((item) => item.id);
    const key = await this.#chooseKey(archived.id, action);
    const made = await callDatabase(
      supabase.rpc('create_collection', { title, visibility: 'private', projects, key }),
    );
    const id = isRecord(made) ? made['id'] : undefined;
    await callDatabase(supabase.rpc('add_to_collection', { collection: id, projects }));
    await callDatabase(supabase.rpc('order_collection', { collection: id, projects }));
    const columns = {
      title,
      description,
      cover_id: own.find((item) => item.project === cover)?.id ?? null,
      ...(action === 'copy' && run.keepsVisibility && { visibility }),
    };
    await callDatabase(supabase.from('collections').update(columns).eq('id', id).select('id'));
    for (const { id: project, note } of own)
      if (note !== '')
        await callDatabase(
          supabase
            .from('collection_items')
            .update({ note })
            .eq('collection_id', id)
            .eq('project_id', project)
            .select('project_id'),
        );
  }
}

/**
 * Creation key of what an import creates for an id in an archive. Made from the account, too, and no id
 * itself: else an archive could name the key of any project of the user.
 */
async function computeKey(account: string, id: string): Promise<string> {
  const hash = await computeChecksum(new TextEncoder().encode(`archive ${account} ${id}`));
  return hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Finds what the user has created under these keys. */
async function findCreated(
  client: SupabaseClient,
  keys: readonly string[],
): Promise<ReadonlyMap<string, EarlierImport>> {
  const created = await callDatabase(client.rpc('find_created', { keys }));
  const found = new Map<string, EarlierImport>();
  if (!isRecord(created)) return found;
  for (const [key, row] of Object.entries({
    ...Object(created['collections']),
    ...Object(created['projects']),
  }))
    if (isRecord(row)) found.set(key, parseCreated(row));
  return found;
}

function parseCreated(row: Record<string, unknown>): EarlierImport {
  const { id, visibility, is_in_trash: isInTrash, versions } = row;
  const list: unknown[] = Array.isArray(versions) ? versions : [];
  const named = list.filter(isRecord).map(({ number, message }) => ({
    number: Number(number),
    message: String(message),
  }));
  return {
    id: String(id),
    visibility: isVisibility(visibility) ? visibility : 'private',
    isInTrash: isInTrash === true,
    isComplete: versions === undefined || named.some(({ message }) => message === completeMessage),
    versions: named,
  };
}

const dateFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

/** "First draft (Nov 24, 2026)". The date of the version itself is that of the import. */
function describeVersion(message: string, createdAt: string): string {
  const time = Date.parse(createdAt);
  const date = Number.isNaN(time) ? '' : dateFormat.format(time);
  if (message === '') return date;
  const both = `${message} (${date})`;
  return date === '' || both.length > limits.versionMessageMax ? message : both;
}
