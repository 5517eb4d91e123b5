import {
  createAssetModule,
  createPositionMapper,
  findAssetQuery,
  isScriptPath,
  renameImports,
  type AssetQuery,
  type MapPosition,
  type Position,
  type ProjectFile,
} from '@vitrine/compiler';
import { getMediaType } from '@vitrine/project';
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
 * The project's files as they may run, and their compiled output. `setFiles` records the app's newest
 * texts; a file whose text compiles is committed under a new version. Version 0 is the initial set.
 */
export interface ModuleStore {
  readonly version: number;
  readonly paths: Iterable<string>;
  /** Replaces the newest set and returns what changed. Texts that are the same strings cost nothing. */
  setFiles(files: ReadonlyMap<string, string>): Pick<FileDifference, 'changed' | 'removed'>;
  /** Newest text of a path, committed or not. */
  findLatest(path: string): string | undefined;
  /** Paths of the newest set, committed or not. */
  readonly latestPaths: Iterable<string>;
  /** Commits the newest texts of these files with their output, under a new version. */
  commit(files: ReadonlyMap<string, CompileOutput>, removed: readonly string[]): void;
  /**
   * Sets the output of a file that is already committed. Counts as a change only if an earlier output
   * has been sent to a document or the service worker.
   */
  setOutput(path: string, output: CompileOutput): void;
  /** Whether the newest text with this output differs from what is committed. */
  isOutputChanged(path: string, output: CompileOutput): boolean;
  /** Committed text of a file. */
  read(path: string): string | undefined;
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
  outputs(): ProjectFile[];
}

/** Path of the page that a project opens with: `index.html`, or else `index.md`. */
export function findEntryPage(moduleStore: ModuleStore): string {
  return findFilePath('/', (path) => moduleStore.read(path) !== undefined) ?? 'index.html';
}

/** A committed file. */
interface CommittedFile {
  text: string;
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

export function createModuleStore(initial: ReadonlyMap<string, string>): ModuleStore {
  // Copies, because the caller may go on changing its map.
  let latest: ReadonlyMap<string, string> = new Map(initial);
  let version = 0;
  const committed = new Map<string, CommittedFile>();
  for (const [path, text] of initial) committed.set(path, uncompiled(text));
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
    setFiles(files) {
      const changed: string[] = [];
      const removed: string[] = [];
      for (const [path, text] of files) if (latest.get(path) !== text) changed.push(path);
      for (const path of latest.keys()) if (!files.has(path)) removed.push(path);
      latest = new Map(files);
      return { changed, removed };
    },
    findLatest: (path) => latest.get(path),
    get latestPaths() {
      return latest.keys();
    },
    commit(files, removed) {
      version += 1;
      for (const path of [...files.keys(), ...removed])
        if (!runningBefore.has(path)) runningBefore.set(path, committed.get(path));
      for (const path of removed) committed.delete(path);
      for (const [path, output] of files) {
        const text = latest.get(path);
        if (text === undefined) continue;
        if (committed.get(path)?.module !== output.module) moduleChangedAt.set(path, version);
        committed.set(path, withOutput(text, output));
      }
      for (const path of [...files.keys(), ...removed]) changedAt.set(path, version);
    },
    setOutput(path, output) {
      const file = committed.get(path);
      if (!file) return;
      committed.set(path, withOutput(file.text, output));
      if (!isSent) return;
      version += 1;
      if (file.module !== output.module) moduleChangedAt.set(path, version);
      changedAt.set(path, version);
    },
    isOutputChanged(path, output) {
      const file = committed.get(path);
      return (
        file?.text !== latest.get(path) ||
        file?.code !== output.code ||
        file?.module !== output.module
      );
    },
    read: (path) => committed.get(path)?.text,
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
        const file = committed.get(path) ?? uncompiled('');
        return {
          path,
          text: file.text,
          mediaType: getMediaType(path),
          code: withVersionQueries(path, file) ?? null,
          module: file.module ?? null,
        };
      });
    },
    outputs() {
      isSent = true;
      return Array.from(committed, ([path, { text, code, module }]) => ({
        path,
        text,
        mediaType: getMediaType(path),
        code: code ?? null,
        module: module ?? null,
      }));
    },
  };
}

function uncompiled(text: string): CommittedFile {
  return {
    text,
    code: undefined,
    module: undefined,
    dependencies: [],
    mapToSource: undefined,
    info: undefined,
  };
}

function withOutput(text: string, output: CompileOutput): CommittedFile {
  const { code, module, reads, mappings, imports, hot } = output;
  const find = mappings === undefined ? undefined : createPositionMapper(mappings);
  return { text, code, module, dependencies: reads, mapToSource: find, info: { imports, hot } };
}

function moduleText(path: string, { text, module }: CommittedFile, query: AssetQuery): string {
  return createAssetModule({ path, text, module: module ?? null }, query);
}
