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
  limits,
  VitrineError,
  type AssetFile,
  type ErrorCode,
  type ProjectFile,
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

interface ImportOptions {
  readonly page: PageSettings;
  /** Id of the user, who becomes the owner. */
  readonly owner: string;
  readonly signal: AbortSignal;
  /** Called with the number of projects that are done. */
  readonly onProgress: (done: number) => void;
}

/** What has become of an archive. Importing it again goes on with what is left. */
export interface ImportOutcome {
  readonly imported: number;
  /** Projects that an earlier import has completed. */
  readonly existing: number;
  /** Projects that can't be imported as they are. */
  readonly failed: readonly { readonly title: string; readonly code: ErrorCode }[];
  /** Why the import stopped. Undefined if all was tried, or after a cancel. */
  readonly stopped: ErrorCode | undefined;
}

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

/** Imports the projects and collections of an archive into the user's account, one by one. */
export async function importArchive(
  { projects, collections }: Archive,
  options: ImportOptions,
): Promise<ImportOutcome> {
  const importer = new ArchiveImporter(await loadClient(options.page), options);
  const failed: { title: string; code: ErrorCode }[] = [];
  /** Ids in this instance by those in the archive. */
  const ids = new Map<string, string>();
  let existing = 0;
  let stopped: ErrorCode | undefined;
  for (const [index, project] of projects.entries()) {
    if (options.signal.aborted) break;
    options.onProgress(index);
    try {
      const { id, isNew } = await importer.importProject(project);
      ids.set(project.id, id);
      if (!isNew) existing += 1;
    } catch (error) {
      if (options.signal.aborted) break;
      const code = findErrorCode(error);
      if (stopping.has(code) || isUnreachable(code)) {
        stopped = code;
        break;
      }
      failed.push({ title: project.title, code });
    }
  }
  if (stopped === undefined && !options.signal.aborted) options.onProgress(projects.length);
  try {
    if (stopped === undefined)
      for (const collection of collections) {
        if (options.signal.aborted) break;
        await importer.importCollection(collection, ids);
      }
  } catch (error) {
    stopped = findErrorCode(error);
  }
  return { imported: ids.size - existing, existing, failed, stopped };
}

class ArchiveImporter {
  readonly #client: SupabaseClient;
  readonly #options: ImportOptions;
  readonly #api;
  readonly #assets: AssetStore;
  readonly #uploaded = new Set<string>();

  constructor(client: SupabaseClient, options: ImportOptions) {
    const { page, owner } = options;
    this.#client = client;
    this.#options = options;
    this.#api = createProjectApi(() => Promise.resolve(client));
    this.#assets = new AssetStore({ page, userId: owner, sources: new Map() });
  }

  /**
   * Creates a project and its versions, unless an earlier import has; goes on after the last version
   * if that was interrupted. The project is private until it is complete.
   */
  async importProject(archived: ArchivedProject): Promise<{ id: string; isNew: boolean }> {
    const { id, newest } = await this.#openProject(archived);
    const isNew = newest <= archived.versions.length;
    if (!isNew) return { id, isNew };
    const { sendUpdates: send, loadDocument: load } = this.#api;
    const { owner } = this.#options;
    const document = await openDocument({ id, kind: 'project', owner, send, load });
    try {
      await this.#fillProject(id, archived, { document, newest });
    } finally {
      await document.close();
    }
    return { id, isNew };
  }

  /** Finds the project that an earlier import has created, with its newest version, or creates it. */
  async #openProject(archived: ArchivedProject): Promise<{ id: string; newest: number }> {
    const { title, versions } = archived;
    const key = archived.id.replaceAll('-', '');
    const path = await this.#api.findProjectPath(key);
    const slug = path?.split('/').at(-1);
    if (slug !== undefined) {
      const found = await callDatabase(this.#client.rpc('read_project', { slug }));
      const list = await callDatabase(this.#client.rpc('list_versions', { slug, count: 1 }));
      if (!isRecord(found)) throw new VitrineError('not_found_or_private', slug);
      const [newest] = Array.isArray(list) ? (list as unknown[]) : [];
      return { id: String(found['id']), newest: isRecord(newest) ? Number(newest['number']) : 0 };
    }
    const files = await this.#readFiles(versions[0]?.files ?? archived.files);
    const state = Uint8Array.from(encodeStateAsUpdate(createDocumentFromFiles(files)));
    const { id } = await this.#api.createProject(await createNewProject(key, state, files), {
      title,
      visibility: 'private',
      forkedFrom: null,
      forkedFromVersion: null,
    });
    return { id, newest: 0 };
  }

  /** Creates the versions after `newest`, then makes the project what it was. */
  async #fillProject(
    id: string,
    archived: ArchivedProject,
    { document, newest }: { document: LiveDocument; newest: number },
  ): Promise<void> {
    const { versions, description, settings, isTemplate, visibility, tags } = archived;
    const text = new ProjectText(document.doc, { onRename() {}, onReplace() {} });
    try {
      const save = async (files: ArchivedFiles) => {
        this.#options.signal.throwIfAborted();
        text.replaceAll(await this.#readFiles(files));
        await document.flush();
      };
      for (const { files, message, createdAt } of versions.slice(newest)) {
        await save(files);
        await this.#api.createVersion(id, 'named', describeVersion(message, createdAt));
      }
      await save(archived.files);
      const published = versions.findIndex((version) => version === archived.publishedVersion);
      if (published >= 0)
        await callDatabase(
          this.#client.rpc('publish_version', { project: id, number: published + 1 }),
        );
      const columns = {
        description,
        settings,
        is_template: isTemplate,
        visibility,
        ...(archived.isInTrash && { trashed_at: new Date().toISOString() }),
      };
      await callDatabase(
        this.#client.from('projects').update(columns).eq('id', id).select('id').single(),
      );
      if (tags.length > 0) await tagProjects(this.#client, [id], { added: tags });
      // This version says that the project is complete.
      await this.#api.createVersion(id, 'named', 'Imported');
    } finally {
      text.close();
    }
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
      const { signal } = this.#options;
      await this.#assets.upload(asset, new Blob([bytes]), { onProgress() {}, signal });
    }
    this.#uploaded.add(asset.hash);
  }

  /**
   * Creates a collection with the user's projects, or adds them to the one with its title. What that
   * one says already stays.
   */
  async importCollection(
    { title, description, visibility, items, cover }: ArchivedCollection,
    ids: ReadonlyMap<string, string>,
  ): Promise<void> {
    const supabase = this.#client;
    const { owner } = this.#options;
    const same = await callDatabase(
      supabase.from('collections').select('id').eq('owner_id', owner).eq('title', title).limit(1),
    );
    const own = items.flatMap(({ project, note }) => {
      const id = ids.get(project);
      return id === undefined ? [] : [{ id, note }];
    });
    const projects = own.map((item) => item.id);
    const [existing] = Array.isArray(same) ? (same as unknown[]) : [];
    const made =
      existing ??
      (await callDatabase(supabase.rpc('create_collection', { title, visibility, projects })));
    const id = isRecord(made) ? made['id'] : undefined;
    if (existing !== undefined)
      await callDatabase(supabase.rpc('add_to_collection', { collection: id, projects }));
    const details = { description, cover_id: (cover !== undefined && ids.get(cover)) || null };
    await callDatabase(
      supabase.from('collections').update(details).eq('id', id).eq('description', '').select('id'),
    );
    for (const { id: project, note } of own)
      if (note !== '')
        await callDatabase(
          supabase
            .from('collection_items')
            .update({ note })
            .eq('collection_id', id)
            .eq('project_id', project)
            .eq('note', '')
            .select('project_id'),
        );
  }
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
