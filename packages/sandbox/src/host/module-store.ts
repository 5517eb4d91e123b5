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
import { findFilePath } from '../file-urls.ts';
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

/**
 * The project's files as they may run, and their compiled output. `changeFiles` records the app's newest
 * files; a file that compiles is committed under a new version. Version 0 is the initial set.
 */
export interface ModuleStore {
  readonly version: number;
  readonly paths: Iterable<string>;
  /** Records the newest files and returns the changes that differ from what was recorded before. */
  changeFiles(changes: FileChanges): FileChanges;
  /** Newest file of a path, committed or not. */
  findLatest(path: string): ProjectFile | undefined;
  /** Newest text of a path, committed or not; '' for assets and missing files. */
  latestText(path: string): string;
  /** Paths of the newest set, committed or not. */
  readonly latestPaths: Iterable<string>;
  /** Commits the newest texts of these files with their output, under a new version. */
  commit(files: ReadonlyMap<string, CompileOutput>, removed: readonly string[]): void;
  /**
   * Sets the output of a file that is already committed. Counts as a change only if an earlier output
   * has been sent to a document or the service worker.
   */
  setOutput(path: string, output: CompileOutput): void;
  /** Whether another file than the newest one of a path is committed. */
  isOutdated(path: string): boolean;
  /** Whether the newest file with this output differs from what is committed. */
  isOutputChanged(path: string, output: CompileOutput): boolean;
  /** Committed text of a file; '' for an asset that isn't text. */
  read(path: string): string | undefined;
  /** Committed file. */
  findCommitted(path: string): ProjectFile | undefined;
  /** Bytes of a committed asset; undefined for texts, and until they are loaded. */
  readBytes(path: string): Blob | undefined;
  /** Text that runs for a file: its compiled output, or the file itself if it isn't compiled. */
  readOutput(path: string): string | undefined;
  /** Files whose texts went into the output of this one, such as Sass partials. */
  dependenciesOf(path: string): readonly string[];
  since(version: number): FileDifference;
  /** Differences as in `since`, and files in which only the version queries of imports changed. */
  unsentSince(version: number): FileDifference;
  /** Imports and HMR info of a file as the page runs it, which may be older than the committed ones. */
  runningModule(path: string): ModuleInfo | undefined;
  /** Whether the committed module of this id differs from the one that the page runs. */
  isModuleChanged(id: string): boolean;
  /** Records that the page runs everything committed so far. */
  markRunning(): void;
  /** Imports and HMR info of a committed file. */
  moduleInfo(path: string): ModuleInfo | undefined;
  /** Version query of each module id (`?t=N`), written into the imports of files packed from now on. */
  readonly versionQueries: ReadonlyMap<string, number>;
  setVersionQueries(versionQueries: ReadonlyMap<string, number>): void;
  /** The version after these version queries were set. */
  versionWith(versionQueries: ReadonlyMap<string, number>): number;
  /** Maps a position in a file's output to its text; undefined where the two are the same. */
  mapToSource(path: string, position: Position): Position | undefined;
  /** Files as messages for the service worker, with version queries in their imports. */
  pack(paths: Iterable<string>): StoredFile[];
  /** All files with their output, without version queries; for the srcdoc transport. */
  outputs(): StoredFile[];
}

/** Path of the page that a project opens with: `index.html`, or else `index.md`. */
export function findEntryPage(moduleStore: ModuleStore): string {
  return findFilePath('/', (path) => moduleStore.read(path) !== undefined) ?? 'index.html';
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

export function createModuleStore(initial: ProjectFiles): ModuleStore {
  const latest = new Map(initial);
  let version = 0;
  const committed = new Map<string, CommittedFile>();
  for (const [path, file] of initial) committed.set(path, uncompiled(file));
  /** Files as the page runs them, where newer ones are committed; undefined for new files. Cleared by `markRunning`. */
  const runningBefore = new Map<string, CommittedFile | undefined>();
  let versionQueries: ReadonlyMap<string, number> = new Map();
  /** Some output has been sent to a document or the service worker. */
  let isSent = false;
  /** Version in which a path was last changed or removed. */
  const changedAt = new Map<string, number>();
  /** Version in which the version queries in a file's imports last changed. */
  const queriesChangedAt = new Map<string, number>();
  /** Version in which the JavaScript module of a stylesheet or asset last changed. */
  const moduleChangedAt = new Map<string, number>();
  const running = (path: string) =>
    runningBefore.has(path) ? runningBefore.get(path) : committed.get(path);
  const toDifference = (paths: readonly string[], before: number): FileDifference => ({
    changed: paths.filter((path) => committed.has(path)),
    removed: paths.filter((path) => !committed.has(path)),
    changedModules: changedSince(moduleChangedAt, before),
  });
  const changedSince = (at: ReadonlyMap<string, number>, version: number) =>
    [...at].filter(([, changed]) => changed > version).map(([path]) => path);
  const findChangedQueries = (next: ReadonlyMap<string, number>) =>
    new Set(
      [...versionQueries.keys(), ...next.keys()].filter(
        (id) => versionQueries.get(id) !== next.get(id),
      ),
    );
  const withVersionQueries = (
    path: string,
    { text, code, info }: CommittedFile,
  ): string | undefined => {
    // Most files import nothing that has a version query; their text isn't parsed.
    const importsVersioned = info
      ? info.imports.some((id) => versionQueries.has(id))
      : versionQueries.size > 0;
    if (!importsVersioned || !isScriptPath(path)) return code;
    const runs = code ?? text;
    const withQueries = renameImports(path, runs, (id) => {
      const versionQuery = versionQueries.get(id);
      return versionQuery === undefined ? undefined : addVersionQuery(id, versionQuery);
    });
    return withQueries === runs ? code : withQueries;
  };

  return {
    get version() {
      return version;
    },
    get paths() {
      return committed.keys();
    },
    changeFiles(changes) {
      const changed = new Map(
        [...changes.changed].filter(([path, file]) => !isSameFile(latest.get(path), file)),
      );
      const removed = changes.removed.filter((path) => latest.delete(path));
      for (const [path, file] of changed) latest.set(path, file);
      return { changed, removed };
    },
    findLatest: (path) => latest.get(path),
    latestText(path) {
      const file = latest.get(path);
      return file?.kind === 'text' ? file.text : '';
    },
    get latestPaths() {
      return latest.keys();
    },
    commit(files, removed) {
      version += 1;
      for (const path of [...files.keys(), ...removed])
        if (!runningBefore.has(path)) runningBefore.set(path, committed.get(path));
      for (const path of removed) committed.delete(path);
      for (const [path, output] of files) {
        const file = latest.get(path);
        if (!file) continue;
        if (committed.get(path)?.module !== output.module) moduleChangedAt.set(path, version);
        committed.set(path, withOutput(file, output));
      }
      for (const path of [...files.keys(), ...removed]) changedAt.set(path, version);
    },
    setOutput(path, output) {
      const file = committed.get(path);
      if (!file) return;
      committed.set(path, withOutput(file.source, output));
      if (!isSent) return;
      version += 1;
      if (file.module !== output.module) moduleChangedAt.set(path, version);
      changedAt.set(path, version);
    },
    isOutdated: (path) => !isSameFile(committed.get(path)?.source, latest.get(path)),
    isOutputChanged(path, output) {
      const file = committed.get(path);
      return (
        !isSameFile(file?.source, latest.get(path)) ||
        file?.code !== output.code ||
        file?.module !== output.module ||
        (file?.bytes === undefined) !== (output.asset === undefined)
      );
    },
    read: (path) => committed.get(path)?.text,
    findCommitted: (path) => committed.get(path)?.source,
    readBytes: (path) => committed.get(path)?.bytes,
    dependenciesOf: (path) => committed.get(path)?.dependencies ?? [],
    readOutput(path) {
      const file = committed.get(path);
      return file?.code ?? file?.text;
    },
    since: (before) => toDifference(changedSince(changedAt, before), before),
    unsentSince: (before) =>
      toDifference(
        [
          ...new Set([
            ...changedSince(changedAt, before),
            ...changedSince(queriesChangedAt, before),
          ]),
        ],
        before,
      ),
    runningModule: (path) => running(path)?.info,
    isModuleChanged(id) {
      const [path, query] = [filePathOf(id), findAssetQuery(id)];
      const [before, after] = [running(path), committed.get(path)];
      if (!query || !before || !after) return true;
      return moduleText(path, before, query) !== moduleText(path, after, query);
    },
    markRunning: () => runningBefore.clear(),
    moduleInfo: (path) => committed.get(path)?.info,
    get versionQueries() {
      return versionQueries;
    },
    versionWith: (next) => version + (findChangedQueries(next).size > 0 ? 1 : 0),
    setVersionQueries(next) {
      const ids = findChangedQueries(next);
      if (ids.size === 0) return;
      versionQueries = new Map(next);
      version += 1;
      for (const [path, { info }] of committed)
        if (info?.imports.some((id) => ids.has(id))) queriesChangedAt.set(path, version);
    },
    mapToSource: (path, position) => committed.get(path)?.mapToSource?.(position),
    pack(paths) {
      isSent = true;
      return [...paths].map((path) => {
        const file = committed.get(path) ?? uncompiled({ kind: 'text', text: '' });
        return toStoredFile(path, file, withVersionQueries(path, file));
      });
    },
    outputs() {
      isSent = true;
      return Array.from(committed, ([path, file]) => toStoredFile(path, file, file.code));
    },
  };
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

function moduleText(path: string, { text, module }: CommittedFile, query: AssetQuery): string {
  return createAssetModule({ path, text, module: module ?? null }, query);
}
