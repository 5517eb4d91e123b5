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

/** What differs between two versions of a project. */
export interface Difference {
  changed: string[];
  removed: string[];
  /** Of the changed ones, stylesheets and the like whose module is another now too. */
  remade: string[];
}

/**
 * The files as they may run. `take` finds what the app's new set changes; what passes its checks is
 * accepted under a new version. Versions count from 0, the files as they were at the start.
 */
export interface Sources {
  readonly version: number;
  readonly paths: Iterable<string>;
  /** What the new set changes against the last one taken; texts are compared, equal ones are free. */
  take(files: ReadonlyMap<string, string>): Pick<Difference, 'changed' | 'removed'>;
  /** The text last taken for a path, whether or not it was accepted. */
  findTaken(path: string): string | undefined;
  /** The paths of the set last taken. */
  readonly takenPaths: Iterable<string>;
  /** Makes the texts last taken of these files run, in these forms. */
  accept(files: ReadonlyMap<string, Compiled>, removed: readonly string[]): void;
  /** The form of a file that has been accepted already: a change, if the earlier one was handed out. */
  setForm(path: string, form: Compiled): void;
  /** Whether the text last taken, in this form, is another than what was accepted. */
  differs(path: string, form: Compiled): boolean;
  read(path: string): string | undefined;
  /** What runs for a file: its text, or what it was compiled to. */
  readRunning(path: string): string | undefined;
  /** The files whose texts what runs for a file was made with. */
  readsOf(path: string): readonly string[];
  since(version: number): Difference;
  /** The same, with files that differ only in the stamps of what they import. */
  unsent(version: number): Difference;
  /** What is known of a file that the page runs, which may be an earlier one than was accepted. */
  running(path: string): ModuleFacts | undefined;
  /** Whether the module of this id is another than what the page runs. */
  isOther(id: string): boolean;
  /** The page runs what has been accepted. */
  settle(): void;
  /** What is known of an accepted file. */
  facts(path: string): ModuleFacts | undefined;
  /** By module id: what its address carries in files that are packed from now on, as a new version. */
  readonly stamps: ReadonlyMap<string, number>;
  setStamps(stamps: ReadonlyMap<string, number>): void;
  /** The place in a file's text, of a place in what runs for it; undefined where they are the same. */
  findOriginal(path: string, place: Position): Position | undefined;
  /** Files in the shape that the service worker wants. */
  pack(paths: Iterable<string>): StoredFile[];
  /** All files in the shape that the portable path wants, without stamps. */
  forms(): ProjectFile[];
}

/** The page that a project begins with where nothing else is said. */
export function findEntry(sources: Sources): string {
  return findFilePath('/', (path) => sources.read(path) !== undefined) ?? 'index.html';
}

/** A file that may run. */
interface Accepted {
  text: string;
  /** What runs in its place, if anything. */
  code: string | undefined;
  /** What a script that imports it gets, if that is not made of its text. */
  module: string | undefined;
  /** Files whose texts it was made with. */
  reads: readonly string[];
  find: FindOriginal | undefined;
  /** Undefined for a script or page that has not been compiled. */
  facts: ModuleFacts | undefined;
}

export function createSources(initial: ReadonlyMap<string, string>): Sources {
  // Copies, since the caller may go on changing its map.
  let taken: ReadonlyMap<string, string> = new Map(initial);
  let version = 0;
  const accepted = new Map<string, Accepted>();
  for (const [path, text] of initial) accepted.set(path, asItIs(text));
  /** Files that the page runs, where those accepted since are others; undefined for new ones. */
  const replaced = new Map<string, Accepted | undefined>();
  let stamps: ReadonlyMap<string, number> = new Map();
  /** Somebody has the files as they were. */
  let isPacked = false;
  /** The version at which a path was last changed or removed, for those that were. */
  const changedAt = new Map<string, number>();
  /** Likewise, of files whose imports got other stamps. */
  const stampedAt = new Map<string, number>();
  const running = (path: string) => (replaced.has(path) ? replaced.get(path) : accepted.get(path));
  const split = (paths: readonly string[], before: number): Difference => ({
    changed: paths.filter((path) => accepted.has(path)),
    removed: paths.filter((path) => !accepted.has(path)),
    remade: laterThan(remadeAt, before),
  });
  const laterThan = (at: ReadonlyMap<string, number>, version: number) =>
    [...at].filter(([, changed]) => changed > version).map(([path]) => path);
  const withStamps = (path: string, { text, code, facts }: Accepted): string | undefined => {
    // Most import nothing that is stamped, and are not read for that.
    const isStamped = facts ? facts.imports.some((id) => stamps.has(id)) : stamps.size > 0;
    if (!isStamped || !isScriptPath(path)) return code;
    const runs = code ?? text;
    const stamped = renameImports(path, runs, (id) => {
      const stamp = stamps.get(id);
      return stamp === undefined ? undefined : stampedAddress(id, stamp);
    });
    return stamped === runs ? code : stamped;
  };
  /** Likewise, for its module. */
  const remadeAt = new Map<string, number>();

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
      for (const [path, text] of files) if (taken.get(path) !== text) changed.push(path);
      for (const path of taken.keys()) if (!files.has(path)) removed.push(path);
      taken = new Map(files);
      return { changed, removed };
    },
    findTaken: (path) => taken.get(path),
    get takenPaths() {
      return taken.keys();
    },
    accept(files, removed) {
      version += 1;
      for (const path of [...files.keys(), ...removed])
        if (!replaced.has(path)) replaced.set(path, accepted.get(path));
      for (const path of removed) accepted.delete(path);
      for (const [path, form] of files) {
        const text = taken.get(path);
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
      if (!isPacked) return;
      version += 1;
      if (file.module !== form.module) remadeAt.set(path, version);
      changedAt.set(path, version);
    },
    differs(path, form) {
      const file = accepted.get(path);
      return (
        file?.text !== taken.get(path) || file?.code !== form.code || file?.module !== form.module
      );
    },
    read: (path) => accepted.get(path)?.text,
    readsOf: (path) => accepted.get(path)?.reads ?? [],
    readRunning(path) {
      const file = accepted.get(path);
      return file?.code ?? file?.text;
    },
    since: (before) => split(laterThan(changedAt, before), before),
    unsent: (before) =>
      split(
        [...new Set([...laterThan(changedAt, before), ...laterThan(stampedAt, before)])],
        before,
      ),
    running: (path) => running(path)?.facts,
    isOther(id) {
      const [path, query] = [pathOfId(id), findAssetQuery(id)];
      const [before, after] = [running(path), accepted.get(path)];
      if (!query || !before || !after) return true;
      return moduleText(path, before, query) !== moduleText(path, after, query);
    },
    settle: () => replaced.clear(),
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
      isPacked = true;
      return [...paths].map((path) => {
        const file = accepted.get(path) ?? asItIs('');
        return {
          path,
          text: file.text,
          mediaType: mediaType(path),
          code: withStamps(path, file) ?? null,
          module: file.module ?? null,
        };
      });
    },
    forms() {
      isPacked = true;
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
