import { mediaType } from '@vitrine/project';

/** What differs between two versions of a project. */
export interface Difference {
  changed: string[];
  removed: string[];
}

/**
 * The files as they may run. `take` finds what the app's new set changes; what passes its checks is
 * accepted under a new version. Versions count from 0, the files as they were at the start.
 */
export interface Sources {
  readonly version: number;
  readonly paths: Iterable<string>;
  /** What the new set changes against the last one taken; texts are compared, equal ones are free. */
  take(files: ReadonlyMap<string, string>): Difference;
  /** The text last taken for a path, whether or not it was accepted. */
  findTaken(path: string): string | undefined;
  accept(difference: Difference): void;
  read(path: string): string | undefined;
  since(version: number): Difference;
  /** Files in the shape that the service worker and the portable path want. */
  pack(paths: Iterable<string>): [path: string, text: string, mediaType: string][];
}

export function createSources(initial: ReadonlyMap<string, string>): Sources {
  // Copies, since the caller may go on changing its map.
  let taken: ReadonlyMap<string, string> = new Map(initial);
  let version = 0;
  const accepted = new Map(initial);
  /** The version at which a path was last changed or removed, for those that were. */
  const changedAt = new Map<string, number>();

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
    accept({ changed, removed }) {
      version += 1;
      for (const path of removed) accepted.delete(path);
      for (const path of changed) {
        const text = taken.get(path);
        if (text !== undefined) accepted.set(path, text);
      }
      for (const path of [...changed, ...removed]) changedAt.set(path, version);
    },
    read: (path) => accepted.get(path),
    since(before) {
      const paths = [...changedAt].filter(([, at]) => at > before).map(([path]) => path);
      return {
        changed: paths.filter((path) => accepted.has(path)),
        removed: paths.filter((path) => !accepted.has(path)),
      };
    },
    pack: (paths) =>
      [...paths]
        .map((path) => [path, accepted.get(path) ?? '', mediaType(path)] as const)
        .map(([path, text, type]) => [path, text, type]),
  };
}
