/** Files of a project, by path. Texts are edited together; assets are immutable bytes. */

export type ProjectFile = TextFile | AssetFile;

export interface TextFile {
  readonly kind: 'text';
  readonly text: string;
}

/** A file of bytes, such as a picture. The bytes are stored apart from the project, by their hash. */
export interface AssetFile {
  readonly kind: 'asset';
  /** SHA-256 of the bytes, in lower-case hexadecimal digits. */
  readonly hash: string;
  /** Number of bytes. */
  readonly size: number;
  /** Content-Type that the bytes are served with. */
  readonly mediaType: string;
}

export type ProjectFiles = ReadonlyMap<string, ProjectFile>;

/** What an edit changed: new and changed files, and the paths of removed ones. */
export interface FileChanges {
  readonly changed: ProjectFiles;
  readonly removed: readonly string[];
}

/** Whether two files have the same content. Compares strings that are identical in no time. */
export function isSameFile(a: ProjectFile | undefined, b: ProjectFile | undefined): boolean {
  if (a === b) return true;
  if (a?.kind === 'text') return b?.kind === 'text' && a.text === b.text;
  return a !== undefined && b?.kind === 'asset' && a.hash === b.hash && a.mediaType === b.mediaType;
}

/** Returns what leads from one set of files to another. Takes time proportional to their number. */
export function findFileChanges(before: ProjectFiles, after: ProjectFiles): FileChanges {
  return {
    changed: new Map([...after].filter(([path, file]) => !isSameFile(before.get(path), file))),
    removed: [...before.keys()].filter((path) => !after.has(path)),
  };
}

/** Returns changes that have the effect of one set of changes followed by another. */
export function mergeFileChanges(first: FileChanges, second: FileChanges): FileChanges {
  const changed = new Map([...first.changed, ...second.changed]);
  for (const path of second.removed) changed.delete(path);
  const removed = new Set([...first.removed, ...second.removed]);
  for (const path of second.changed.keys()) removed.delete(path);
  return { changed, removed: [...removed] };
}

/** Text of each text file, by path. */
export function getTexts(files: ProjectFiles): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [path, file] of files) if (file.kind === 'text') texts.set(path, file.text);
  return texts;
}

/** Text files from their texts, by path. */
export function toTextFiles(texts: Iterable<readonly [string, string]>): Map<string, TextFile> {
  return new Map(Array.from(texts, ([path, text]) => [path, { kind: 'text', text }]));
}
