import {
  createAssetModule,
  createPositionMapper,
  findAssetQuery,
  isScriptPath,
  renameImports,
  type AssetQuery,
  type MapPosition,
  type Position,
} from '@vitrine/compiler';
import {
  getMediaType,
  isSameFile,
  type FileChanges,
  type ProjectFile,
  type ProjectFiles,
} from '@vitrine/project';
import { findEntryPath, findFilePath } from '../file-urls.ts';
import { addVersionQuery } from '../hot-messages.ts';
import type { StoredFile } from '../protocol.ts';
import { filePathOf, type ModuleInfo } from './plan-update.ts';
import type { CompileOutput } from './project-compiler.ts';

/** Differences between two versions of a project. */
export interface FileDifference {
  changed: string[];
  removed: string[];
  /** Changed stylesheets and assets whose JavaScript module changed too. */
  changedModules: string[];
}

/** Path of the page that a project opens with: `index.html`, `index.md`, or else its only page. */
export function findEntryPage(moduleStore: ModuleStore): string {
  const atRoot = findFilePath('/', (path) => moduleStore.read(path) !== undefined);
  return atRoot ?? findEntryPath([...moduleStore.paths]) ?? 'index.html';
}

/** A committed file. */
interface CommittedFile {
  source: ProjectFile;
  text: string;
  /** Bytes of an asset, once they are loaded. */
  bytes: Blob | undefined;
  /** Compiled output; undefined if the text itself runs. */
  code: string | undefined;
  /** JavaScript module for scripts that import the file; undefined if it is made from the text. */
  module: string | undefined;
  /** Files whose texts went into the output. */
  dependencies: readonly string[];
  /** Maps positions in the output to the text; undefined if there is no source map. */
  mapToSource: MapPosition | undefined;
  /** Undefined for a script or page that has not been compiled. */
  info: ModuleInfo | undefined;
}

/**
 * The project's files as they may run, and their compiled output. `changeFiles` records the app's newest
 * files; a file that compiles is committed under a new version. Version 0 is the initial set.
 */
export class ModuleStore {
  readonly #latest: Map<string, ProjectFile>;
  readonly #committed = new Map<string, CommittedFile>();
  /** Files as the page runs them, where newer ones are committed; undefined for new files. */
  readonly #runningBefore = new Map<string, CommittedFile | undefined>();
  #version = 0;
  #versionQueries: ReadonlyMap<string, number> = new Map();
  /** Some output has been sent to a document or the service worker. */
  #isSent = false;
  /** Version in which a path was last changed or removed. */
  readonly #changedAt = new Map<string, number>();
  /** Version in which the version queries in a file's imports last changed. */
  readonly #queriesChangedAt = new Map<string, number>();
  /** Version in which the JavaScript module of a stylesheet or asset last changed. */
  readonly #moduleChangedAt = new Map<string, number>();

  constructor(initial: ProjectFiles) {
    this.#latest = new Map(initial);
    for (const [path, file] of initial) this.#committed.set(path, uncompiled(file));
  }

  get version(): number {
    return this.#version;
  }

  /** Paths of the committed files. */
  get paths(): Iterable<string> {
    return this.#committed.keys();
  }

  /** Paths of the newest set, committed or not. */
  get latestPaths(): Iterable<string> {
    return this.#latest.keys();
  }

  /** Records the newest files and returns the changes that differ from what was recorded before. */
  changeFiles(changes: FileChanges): FileChanges {
    const changed = new Map(
      [...changes.changed].filter(([path, file]) => !isSameFile(this.#latest.get(path), file)),
    );
    const removed = changes.removed.filter((path) => this.#latest.delete(path));
    for (const [path, file] of changed) this.#latest.set(path, file);
    return { changed, removed };
  }

  /** Newest file of a path, committed or not. */
  findLatest(path: string): ProjectFile | undefined {
    return this.#latest.get(path);
  }

  /** Newest text of a path, committed or not; '' for assets and missing files. */
  latestText(path: string): string {
    const file = this.#latest.get(path);
    return file?.kind === 'text' ? file.text : '';
  }

  /** Commits the newest files of these paths with their output, under a new version. */
  commit(files: ReadonlyMap<string, CompileOutput>, removed: readonly string[]): void {
    this.#version += 1;
    for (const path of [...files.keys(), ...removed])
      if (!this.#runningBefore.has(path)) this.#runningBefore.set(path, this.#committed.get(path));
    for (const path of removed) this.#committed.delete(path);
    for (const [path, output] of files) {
      const file = this.#latest.get(path);
      if (file) this.#setOutput(path, file, output);
    }
    for (const path of [...files.keys(), ...removed]) this.#changedAt.set(path, this.#version);
  }

  /**
   * Sets the output of a file that is already committed. Counts as a change only if an earlier output
   * has been sent to a document or the service worker.
   */
  setOutput(path: string, output: CompileOutput): void {
    const file = this.#committed.get(path);
    if (!file) return;
    if (this.#isSent) {
      this.#version += 1;
      this.#changedAt.set(path, this.#version);
    }
    this.#setOutput(path, file.source, output);
  }

  #setOutput(path: string, source: ProjectFile, output: CompileOutput): void {
    if (this.#committed.get(path)?.module !== output.module)
      this.#moduleChangedAt.set(path, this.#version);
    this.#committed.set(path, withOutput(source, output));
  }

  /** Whether another file than the newest one of a path is committed. */
  isOutdated(path: string): boolean {
    return !isSameFile(this.#committed.get(path)?.source, this.#latest.get(path));
  }

  /** Whether the newest file with this output differs from what is committed. */
  isOutputChanged(path: string, output: CompileOutput): boolean {
    const file = this.#committed.get(path);
    return (
      this.isOutdated(path) ||
      file?.code !== output.code ||
      file?.module !== output.module ||
      (file?.bytes === undefined) !== (output.asset === undefined)
    );
  }

  /** Committed file. */
  findCommitted(path: string): ProjectFile | undefined {
    return this.#committed.get(path)?.source;
  }

  /** Committed text of a file; '' for an asset that isn't text. */
  read(path: string): string | undefined {
    return this.#committed.get(path)?.text;
  }

  /** Bytes of a committed asset; undefined for texts, and until they are loaded. */
  readBytes(path: string): Blob | undefined {
    return this.#committed.get(path)?.bytes;
  }

  /** Text that runs for a file: its compiled output, or the file itself if it isn't compiled. */
  readOutput(path: string): string | undefined {
    const file = this.#committed.get(path);
    return file?.code ?? file?.text;
  }

  /** Files whose texts went into the output of this one, such as Sass partials. */
  dependenciesOf(path: string): readonly string[] {
    return this.#committed.get(path)?.dependencies ?? [];
  }

  /** Maps a position in a file's output to its text; undefined where the two are the same. */
  mapToSource(path: string, position: Position): Position | undefined {
    return this.#committed.get(path)?.mapToSource?.(position);
  }

  /** Whether a position in a file's output is in code that its text doesn't have. */
  isInserted(path: string, position: Position): boolean {
    const map = this.#committed.get(path)?.mapToSource;
    return map !== undefined && position.line > 0 && map(position) === undefined;
  }

  since(version: number): FileDifference {
    return this.#toDifference(changedSince(this.#changedAt, version), version);
  }

  /** Differences as in `since`, and files in which only the version queries of imports changed. */
  unsentSince(version: number): FileDifference {
    const paths = new Set([
      ...changedSince(this.#changedAt, version),
      ...changedSince(this.#queriesChangedAt, version),
    ]);
    return this.#toDifference([...paths], version);
  }

  #toDifference(paths: readonly string[], version: number): FileDifference {
    return {
      changed: paths.filter((path) => this.#committed.has(path)),
      removed: paths.filter((path) => !this.#committed.has(path)),
      changedModules: changedSince(this.#moduleChangedAt, version),
    };
  }

  /** Imports and HMR info of a committed file. */
  moduleInfo(path: string): ModuleInfo | undefined {
    return this.#committed.get(path)?.info;
  }

  /** Imports and HMR info of a file as the page runs it, which may be older than the committed ones. */
  runningModule(path: string): ModuleInfo | undefined {
    return this.#findRunning(path)?.info;
  }

  /** Whether the committed module of this id differs from the one that the page runs. */
  isModuleChanged(id: string): boolean {
    const [path, query] = [filePathOf(id), findAssetQuery(id)];
    const [before, after] = [this.#findRunning(path), this.#committed.get(path)];
    if (!query || !before || !after) return true;
    return moduleText(path, before, query) !== moduleText(path, after, query);
  }

  #findRunning(path: string): CommittedFile | undefined {
    const runs = this.#runningBefore.has(path) ? this.#runningBefore : this.#committed;
    return runs.get(path);
  }

  /** Records that the page runs everything committed so far. */
  markRunning(): void {
    this.#runningBefore.clear();
  }

  /** Version query of each module id (`?t=N`), written into the imports of files packed from now on. */
  get versionQueries(): ReadonlyMap<string, number> {
    return this.#versionQueries;
  }

  setVersionQueries(versionQueries: ReadonlyMap<string, number>): void {
    const ids = this.#findChangedQueries(versionQueries);
    if (ids.size === 0) return;
    this.#versionQueries = new Map(versionQueries);
    this.#version += 1;
    for (const [path, { info }] of this.#committed)
      if (info?.imports.some((id) => ids.has(id))) this.#queriesChangedAt.set(path, this.#version);
  }

  /** The version after these version queries were set. */
  versionWith(versionQueries: ReadonlyMap<string, number>): number {
    return this.#version + (this.#findChangedQueries(versionQueries).size > 0 ? 1 : 0);
  }

  #findChangedQueries(next: ReadonlyMap<string, number>): ReadonlySet<string> {
    const ids = [...this.#versionQueries.keys(), ...next.keys()];
    return new Set(ids.filter((id) => this.#versionQueries.get(id) !== next.get(id)));
  }

  /** Files as messages for the service worker, with version queries in their imports. */
  pack(paths: Iterable<string>): StoredFile[] {
    this.#isSent = true;
    return [...paths].map((path) => {
      const file = this.#committed.get(path) ?? uncompiled({ kind: 'text', text: '' });
      return toStoredFile(path, file, this.#addVersionQueries(path, file));
    });
  }

  /** All files with their output, without version queries; for the srcdoc transport. */
  outputs(): StoredFile[] {
    this.#isSent = true;
    return Array.from(this.#committed, ([path, file]) => toStoredFile(path, file, file.code));
  }

  #addVersionQueries(path: string, { text, code, info }: CommittedFile): string | undefined {
    const queries = this.#versionQueries;
    // Most files import nothing that has a version query; their text isn't parsed.
    const importsVersioned = info ? info.imports.some((id) => queries.has(id)) : queries.size > 0;
    if (!importsVersioned || !isScriptPath(path)) return code;
    const runs = code ?? text;
    const withQueries = renameImports(path, runs, (id) => {
      const versionQuery = queries.get(id);
      return versionQuery === undefined ? undefined : addVersionQuery(id, versionQuery);
    });
    return withQueries === runs ? code : withQueries;
  }
}

function changedSince(changedAt: ReadonlyMap<string, number>, version: number): string[] {
  return [...changedAt].filter(([, changed]) => changed > version).map(([path]) => path);
}

function uncompiled(source: ProjectFile): CommittedFile {
  return {
    source,
    text: source.kind === 'text' ? source.text : '',
    bytes: undefined,
    code: undefined,
    module: undefined,
    dependencies: [],
    mapToSource: undefined,
    info: undefined,
  };
}

function withOutput(source: ProjectFile, output: CompileOutput): CommittedFile {
  const { asset, code, module, reads, mappings, imports, hot } = output;
  return {
    source,
    text: source.kind === 'text' ? source.text : (asset?.text ?? ''),
    bytes: asset?.bytes,
    code,
    module,
    dependencies: reads,
    mapToSource: mappings === undefined ? undefined : createPositionMapper(mappings),
    info: { imports, hot },
  };
}

function toStoredFile(
  path: string,
  { source, text, bytes, module }: CommittedFile,
  code: string | undefined,
): StoredFile {
  return {
    path,
    text,
    bytes: bytes ?? null,
    mediaType: source.kind === 'text' ? getMediaType(path) : source.mediaType,
    code: code ?? null,
    module: module ?? null,
  };
}

function moduleText(
  path: string,
  { text, code, module }: CommittedFile,
  query: AssetQuery,
): string {
  const file = { path, text, code: code ?? null, module: module ?? null };
  return createAssetModule(file, query);
}
