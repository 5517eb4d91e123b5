import { createPlaceFinder, type FindOriginal, type Position } from '@vitrine/compiler';
import { mediaType } from '@vitrine/project';
import { findFilePath } from '../file-addresses.ts';
import type { StoredFile } from '../protocol.ts';
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
  /** The place in a file's text, of a place in what runs for it; undefined where they are the same. */
  findOriginal(path: string, place: Position): Position | undefined;
  /** Files in the shape that the service worker and the portable path want. */
  pack(paths: Iterable<string>): StoredFile[];
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
}

export function createSources(initial: ReadonlyMap<string, string>): Sources {
  // Copies, since the caller may go on changing its map.
  let taken: ReadonlyMap<string, string> = new Map(initial);
  let version = 0;
  const accepted = new Map<string, Accepted>();
  for (const [path, text] of initial) accepted.set(path, asItIs(text));
  /** Somebody has the files as they were. */
  let isPacked = false;
  /** The version at which a path was last changed or removed, for those that were. */
  const changedAt = new Map<string, number>();
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
    accept(files, removed) {
      version += 1;
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
    since(before) {
      const paths = [...changedAt].filter(([, at]) => at > before).map(([path]) => path);
      return {
        changed: paths.filter((path) => accepted.has(path)),
        removed: paths.filter((path) => !accepted.has(path)),
        remade: [...remadeAt].filter(([, at]) => at > before).map(([path]) => path),
      };
    },
    findOriginal: (path, place) => accepted.get(path)?.find?.(place),
    pack(paths) {
      isPacked = true;
      return [...paths].map((path) => {
        const { text, code, module } = accepted.get(path) ?? asItIs('');
        return {
          path,
          text,
          mediaType: mediaType(path),
          code: code ?? null,
          module: module ?? null,
        };
      });
    },
  };
}

function asItIs(text: string): Accepted {
  return { text, code: undefined, module: undefined, reads: [], find: undefined };
}

function inForm(text: string, { code, module, reads, mappings }: Compiled): Accepted {
  const find = mappings === undefined ? undefined : createPlaceFinder(mappings);
  return { text, code, module, reads, find };
}
