import {
  assetModule,
  createPlaceFinder,
  findAssetQuery,
  isScriptPath,
  renameImports,
  type AssetQuery,
  type FindOriginal,
  type Position,
  type ProjectFile,
} from '@vitrine/compiler';
import { mediaType } from '@vitrine/project';
import { findFilePath } from '../file-addresses.ts';
import { stampedAddress } from '../hot-messages.ts';
import type { StoredFile } from '../protocol.ts';
import { pathOfId, type ModuleFacts } from './plan-update.ts';
import type { Compiled } from './project-compiler.ts';

/** Differences between two versions of a project. */
export interface Difference {
  changed: string[];
  removed: string[];
  /** Changed stylesheets and assets whose JavaScript module changed too. */
  remade: string[];
}

/**
 * The project's files as they may run, and their compiled output. `setFiles` records the app's newest
 * texts; a file whose text compiles is committed under a new version. Version 0 is the initial set.
 */
export interface Sources {
  readonly version: number;
  readonly paths: Iterable<string>;
  /** Replaces the newest set and returns what changed. Equal strings are compared by reference first. */
  /** What the new set changes against the last one taken; texts are compared, equal ones are free. */
  take(files: ReadonlyMap<string, string>): Pick<Difference, 'changed' | 'removed'>;
  /** Newest text of a path, committed or not. */
  findTaken(path: string): string | undefined;
  /** Paths of the newest set, committed or not. */
  readonly takenPaths: Iterable<string>;
  /** Commits the newest texts of these files with their output, under a new version. */
  accept(files: ReadonlyMap<string, Compiled>, removed: readonly string[]): void;
  /**
   * Sets the output of a file that is already committed. Counts as a change only if an earlier output
   * has been sent to a document or the service worker.
   */
  setForm(path: string, form: Compiled): void;
  /** Whether the newest text with this output differs from what is committed. */
  differs(path: string, form: Compiled): boolean;
  /** Committed text of a file. */
  read(path: string): string | undefined;
  /** Text that runs for a file: its compiled output, or the file itself if it isn't compiled. */
  readRunning(path: string): string | undefined;
  /** Files whose texts went into the output of this one, such as Sass partials. */
  readsOf(path: string): readonly string[];
  since(version: number): Difference;
  /** Differences as in `since`, and files in which only the version queries of imports changed. */
  unsent(version: number): Difference;
  /** Imports and HMR facts of a file as the page runs it, which may be older than the committed ones. */
  running(path: string): ModuleFacts | undefined;
  /** Whether the committed module of this id differs from the one that the page runs. */
  isOther(id: string): boolean;
  /** Records that the page runs everything committed so far. */
  settle(): void;
  /** Imports and HMR facts of a committed file. */
  facts(path: string): ModuleFacts | undefined;
  /** Version query of each module id (`?t=N`), written into the imports of files packed from now on. */
  readonly stamps: ReadonlyMap<string, number>;
  setStamps(stamps: ReadonlyMap<string, number>): void;
  /** Maps a position in a file's output to its text; undefined where the two are the same. */
  findOriginal(path: string, place: Position): Position | undefined;
  /** Files as messages for the service worker, with version queries in their imports. */
  pack(paths: Iterable<string>): StoredFile[];
  /** All files with their output, without version queries; for the srcdoc transport. */
  forms(): ProjectFile[];
}

/** Path of the page that a project opens with: `index.html`, or else `index.md`. */
/** The page that a project begins with where nothing else is said. */
export function findEntry(sources: Sources): string {
  return findFilePath('/', (path) => sources.read(path) !== undefined) ?? 'index.html';
}

/** A committed file. */
interface Accepted {
  text: string;
  /** Compiled output; undefined if the text itself runs. */
  code: string | undefined;
  /** JavaScript module for scripts that import the file; undefined if it is made from the text. */
  module: string | undefined;
  /** Files whose texts went into the output. */
  reads: readonly string[];
  /** Maps positions in the output to the text; undefined if there is no source map. */
  find: FindOriginal | undefined;
  /** Undefined for a script or page that has not been compiled. */
  facts: ModuleFacts | undefined;
}

export function createSources(initial: ReadonlyMap<string, string>): Sources {
  // Copies, because the caller may go on changing its map.
  let latest: ReadonlyMap<string, string> = new Map(initial);
  let version = 0;
  const accepted = new Map<string, Accepted>();
  for (const [path, text] of initial) accepted.set(path, asItIs(text));
  /** Files as the page runs them, where newer ones are committed; undefined for new files. Cleared by `markRunning`. */
  const runningBefore = new Map<string, Accepted | undefined>();
  let stamps: ReadonlyMap<string, number> = new Map();
  /** Some output has been sent to a document or the service worker. */
  let isSent = false;
  /** Version in which a path was last changed or removed. */
  const changedAt = new Map<string, number>();
  /** Version in which the version queries in a file's imports last changed. */
  const stampedAt = new Map<string, number>();
  /** Version in which the JavaScript module of a stylesheet or asset last changed. */
  const remadeAt = new Map<string, number>();
  const running = (path: string) =>
    runningBefore.has(path) ? runningBefore.get(path) : accepted.get(path);
  const toDifference = (paths: readonly string[], before: number): Difference => ({
    changed: paths.filter((path) => accepted.has(path)),
    removed: paths.filter((path) => !accepted.has(path)),
    remade: changedSince(remadeAt, before),
  });
  const changedSince = (at: ReadonlyMap<string, number>, version: number) =>
    [...at].filter(([, changed]) => changed > version).map(([path]) => path);
  const withVersionQueries = (
    path: string,
    { text, code, facts }: Accepted,
  ): string | undefined => {
    // Most files import nothing that has a version query; their text isn't parsed.
    const isStamped = facts ? facts.imports.some((id) => stamps.has(id)) : stamps.size > 0;
    if (!isStamped || !isScriptPath(path)) return code;
    const runs = code ?? text;
    const stamped = renameImports(path, runs, (id) => {
      const stamp = stamps.get(id);
      return stamp === undefined ? undefined : stampedAddress(id, stamp);
    });
    return stamped === runs ? code : stamped;
  };

  return {
    get version() {
      return version;
    },
    get paths() {
      return accepted.keys();
    },
    take(files) {
      const changed: string[] = [];
      const removed: string[] = [];
      for (const [path, text] of files) if (latest.get(path) !== text) changed.push(path);
      for (const path of latest.keys()) if (!files.has(path)) removed.push(path);
      latest = new Map(files);
      return { changed, removed };
    },
    findTaken: (path) => latest.get(path),
    get takenPaths() {
      return latest.keys();
    },
    accept(files, removed) {
      version += 1;
      for (const path of [...files.keys(), ...removed])
        if (!runningBefore.has(path)) runningBefore.set(path, accepted.get(path));
      for (const path of removed) accepted.delete(path);
      for (const [path, form] of files) {
        const text = latest.get(path);
        if (text === undefined) continue;
        if (accepted.get(path)?.module !== form.module) remadeAt.set(path, version);
        accepted.set(path, inForm(text, form));
      }
      for (const path of [...files.keys(), ...removed]) changedAt.set(path, version);
    },
    setForm(path, form) {
      const file = accepted.get(path);
      if (!file) return;
      accepted.set(path, inForm(file.text, form));
      if (!isSent) return;
      version += 1;
      if (file.module !== form.module) remadeAt.set(path, version);
      changedAt.set(path, version);
    },
    differs(path, form) {
      const file = accepted.get(path);
      return (
        file?.text !== latest.get(path) || file?.code !== form.code || file?.module !== form.module
      );
    },
    read: (path) => accepted.get(path)?.text,
    readsOf: (path) => accepted.get(path)?.reads ?? [],
    readRunning(path) {
      const file = accepted.get(path);
      return file?.code ?? file?.text;
    },
    since: (before) => toDifference(changedSince(changedAt, before), before),
    unsent: (before) =>
      toDifference(
        [...new Set([...changedSince(changedAt, before), ...changedSince(stampedAt, before)])],
        before,
      ),
    running: (path) => running(path)?.facts,
    isOther(id) {
      const [path, query] = [pathOfId(id), findAssetQuery(id)];
      const [before, after] = [running(path), accepted.get(path)];
      if (!query || !before || !after) return true;
      return moduleText(path, before, query) !== moduleText(path, after, query);
    },
    settle: () => runningBefore.clear(),
    facts: (path) => accepted.get(path)?.facts,
    get stamps() {
      return stamps;
    },
    setStamps(next) {
      const differs = (id: string) => stamps.get(id) !== next.get(id);
      const ids = new Set([...stamps.keys(), ...next.keys()].filter(differs));
      if (ids.size === 0) return;
      stamps = new Map(next);
      version += 1;
      for (const [path, { facts }] of accepted)
        if (facts?.imports.some((id) => ids.has(id))) stampedAt.set(path, version);
    },
    findOriginal: (path, place) => accepted.get(path)?.find?.(place),
    pack(paths) {
      isSent = true;
      return [...paths].map((path) => {
        const file = accepted.get(path) ?? asItIs('');
        return {
          path,
          text: file.text,
          mediaType: mediaType(path),
          code: withVersionQueries(path, file) ?? null,
          module: file.module ?? null,
        };
      });
    },
    forms() {
      isSent = true;
      return Array.from(accepted, ([path, { text, code, module }]) => ({
        path,
        text,
        mediaType: mediaType(path),
        code: code ?? null,
        module: module ?? null,
      }));
    },
  };
}

function asItIs(text: string): Accepted {
  return { text, code: undefined, module: undefined, reads: [], find: undefined, facts: undefined };
}

function inForm(text: string, form: Compiled): Accepted {
  const { code, module, reads, mappings, imports, hot } = form;
  const find = mappings === undefined ? undefined : createPlaceFinder(mappings);
  return { text, code, module, reads, find, facts: { imports, hot } };
}

function moduleText(path: string, { text, module }: Accepted, query: AssetQuery): string {
  return assetModule({ path, text, module: module ?? null }, query);
}
