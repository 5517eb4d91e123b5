import {
  findErrorCode,
  isSameFile,
  VitrineError,
  type AssetFile,
  type ErrorCode,
  type ProjectFile,
  type ProjectFiles,
} from '@vitrine/project';
import { createLocalDraft } from '../saving/drafts.ts';
import type { WorkspaceSession } from '../session.ts';
import type { ProjectIdentity } from '../sharing/identity.ts';
import type { FileOperations } from '../tree/file-operations.ts';
import { ValueStore } from '../value-store.ts';
import type { ChangeKind, ListedVersion, Version, VersionApi } from './versions.ts';

/** The versions loaded so far, newest first. */
export interface Timeline {
  /** Undefined until the newest ones have loaded. */
  readonly versions: readonly ListedVersion[] | undefined;
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  /** Why the last attempt to load failed. */
  readonly failure: ErrorCode | undefined;
}

const emptyTimeline: Timeline = {
  versions: undefined,
  hasMore: false,
  isLoading: false,
  failure: undefined,
};

/** Versions whose files are kept, so that comparing several files of two loads each once. */
const maxCached = 12;

interface ProjectHistoryOptions {
  readonly session: WorkspaceSession;
  readonly fileOperations: FileOperations;
  readonly api: VersionApi;
}

/** A version, or the current version at a moment. */
export interface ProjectState {
  /** Null for the current version. */
  readonly number: number | null;
  /** Revision of the project that a version is a copy of; for the current version, when it was loaded. */
  readonly revision: number;
  readonly files: ProjectFiles;
}

/** The outcome of restoring a version. */
interface RestoredFiles {
  readonly undo: () => void;
  /** Why the restored files aren't saved as a version, if they aren't. */
  readonly failure: ErrorCode | undefined;
}

/** Two states of a project. `to` is null for the current version. */
export interface ComparedVersions {
  readonly from: number;
  readonly to: number | null;
}

/** What is compared, once loaded. */
export interface ComparedStates {
  readonly before: ProjectState;
  readonly after: ProjectState;
}

/** A file that differs between two states of a project. */
export interface FileDifference {
  readonly path: string;
  readonly kind: ChangeKind;
  readonly before: ProjectFile | undefined;
  readonly after: ProjectFile | undefined;
}

/** The versions of the workspace's project, and what can be done with them. */
export class ProjectHistory {
  readonly timeline = new ValueStore<Timeline>(emptyTimeline);
  /** What the panel compares, also while it's closed: it covers the diffs on a phone. */
  readonly compared = new ValueStore<ComparedVersions | null>(null);
  readonly #options: ProjectHistoryOptions;
  /** Files of versions, least recently used first. A version never changes. */
  readonly #versions = new Map<number, Promise<Version>>();
  /** Number of the latest request for the timeline. Answers to earlier ones are ignored. */
  #request = 0;

  constructor(options: ProjectHistoryOptions) {
    this.#options = options;
  }

  /** Loads the newest versions. Those already loaded stay until then. Never rejects. */
  load(): Promise<void> {
    return this.#loadPage(null);
  }

  /** Loads the versions before the oldest one loaded. Never rejects. */
  async loadMore(): Promise<void> {
    const oldest = this.timeline.get().versions?.at(-1);
    if (oldest) await this.#loadPage(oldest.number);
  }

  async #loadPage(before: number | null): Promise<void> {
    const request = ++this.#request;
    this.timeline.set({ ...this.timeline.get(), isLoading: true, failure: undefined });
    try {
      const page = await this.#options.api.list(this.#project.slug, before);
      if (request !== this.#request) return;
      const earlier = before === null ? [] : (this.timeline.get().versions ?? []);
      this.timeline.set({
        versions: [...earlier, ...page.versions],
        hasMore: page.hasMore,
        isLoading: false,
        failure: undefined,
      });
    } catch (error) {
      if (request !== this.#request) return;
      const failure = findErrorCode(error);
      this.timeline.set({ ...this.timeline.get(), isLoading: false, failure });
    }
  }

  /** Saves all edits, then a version of them. Resolves to its number. Rejects with a `VitrineError`. */
  async save(message: string): Promise<number> {
    const number = await this.#createVersion('named', message.trim());
    await this.load();
    return number;
  }

  /**
   * Makes the files those of a version: saves a version of the present ones, edits them, and saves
   * the result as a version too. Undefined if the files are already the same. Rejects with a
   * `VitrineError` while nothing is changed.
   */
  async restore(number: number): Promise<RestoredFiles | undefined> {
    const { session, fileOperations } = this.#options;
    const [{ files }] = await Promise.all([this.read(number), session.whenOpened()]);
    if (compareFiles(session.readFiles(), files).length === 0) return undefined;
    await this.#createVersion('restore', '');
    const undo = fileOperations.replaceAll(files);
    try {
      await this.#createVersion('named', `Restored version ${number}`);
      return { undo, failure: undefined };
    } catch (error) {
      return { undo, failure: findErrorCode(error) };
    } finally {
      await this.load();
    }
  }

  async #createVersion(reason: 'named' | 'restore' | 'publish', message: string): Promise<number> {
    const { session } = this.#options;
    await session.flush();
    const number = await session.createVersion(reason, message);
    if (number === undefined) throw new VitrineError('not_allowed');
    return number;
  }

  /** Creates a draft from a version. Resolves to its id. */
  async fork(number: number): Promise<string> {
    const { id, title } = this.#project;
    const { files } = await this.read(number);
    const draft = { title, files, forkedFrom: id, forkedFromVersion: number };
    return await createLocalDraft(this.#options.session.userId, draft);
  }

  /** Saves a version of the present files and publishes it. Rejects with a `VitrineError`. */
  async publishNow(): Promise<void> {
    await this.publish(await this.#createVersion('publish', ''));
    await this.load();
  }

  /** Publishes a version, or none if the number is null. Rejects with a `VitrineError`. */
  async publish(number: number | null): Promise<void> {
    const { session, api } = this.#options;
    await api.publish(this.#project.id, number);
    session.identity.set({ ...this.#project, publishedVersion: number });
  }

  /** Reads a version. Rejects with `version_not_found`, or the error of loading it. */
  read(number: number): Promise<Version> {
    const known = this.#versions.get(number);
    const version = known ?? this.#load(number);
    this.#versions.delete(number);
    this.#versions.set(number, version);
    version.catch(() => this.#versions.delete(number));
    const [oldest] = this.#versions.keys();
    if (this.#versions.size > maxCached && oldest !== undefined) this.#versions.delete(oldest);
    return version;
  }

  async #load(number: number): Promise<Version> {
    const version = await this.#options.api.read(this.#project.slug, number);
    if (!version) throw new VitrineError('version_not_found', `version ${number}`);
    return version;
  }

  /** Reads a file of a version. Undefined if it doesn't have the file. Rejects like `read`. */
  async readFile(number: number, path: string): Promise<ProjectFile | undefined> {
    return (await this.read(number)).files.get(path);
  }

  /** Reads a version, or the current version if `number` is null. Rejects like `read`. */
  async readState(number: number | null): Promise<ProjectState> {
    if (number !== null) return this.read(number);
    await this.#options.session.whenOpened();
    return this.readWorkingCopy();
  }

  /** Copies the current version's files. Its document must be open. */
  readWorkingCopy(): ProjectState {
    const { revision } = this.#project;
    return { number: null, revision, files: this.#options.session.readFiles() };
  }

  /** Loads the bytes of an asset of any version. */
  readonly loadAsset = (asset: AssetFile): Promise<Blob> => this.#options.session.loadAsset(asset);

  get #project(): ProjectIdentity {
    const identity = this.#options.session.identity.get();
    if (identity.kind === 'draft') throw new VitrineError('not_found_or_private', 'a draft');
    return identity;
  }
}

/** Files that differ, sorted by path. */
export function compareFiles(before: ProjectFiles, after: ProjectFiles): FileDifference[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.flatMap((path): FileDifference[] => {
    const [old, current] = [before.get(path), after.get(path)];
    if (isSameFile(old, current)) return [];
    const kind = old ? (current ? 'changed' : 'removed') : 'added';
    return [{ path, kind, before: old, after: current }];
  });
}
