import { VitrineError, type ErrorCode } from '@vitrine/project';
import type { NameEncoding } from './name-encoding.ts';
import type { ServerFramework } from './server-frameworks.ts';
import type { FoundFile } from '../workspace/tree/uploaded-files.ts';

/** A file that hasn't been read. `path` is any text. */
export interface FoundEntry {
  readonly path: string;
  readonly size: number;
  readonly isLink?: boolean;
  readonly read: () => Promise<Uint8Array<ArrayBuffer>>;
}

/** Files of a project that was opened from elsewhere, read and checked. Nothing has run yet. */
export interface ProjectImport {
  /** Name of the zip, folder or file. Empty for several files. */
  readonly source: string;
  /** Who or what the files come from, such as "docs.example.org". Undefined for the user's files. */
  readonly from?: string;
  /** Title for a new project: 1–120 characters. */
  readonly title: string;
  readonly files: readonly FoundFile[];
  readonly leftOut: readonly LeftOut[];
  /** Encoding of the zip's file names. Undefined if all are UTF-8, or ASCII. */
  readonly encoding?: NameEncoding;
  /** What the project needs to be a static site. Undefined if its pages can be shown. */
  readonly framework?: ServerFramework;
}

interface TooLargeOptions {
  /** Name of the zip, folder or repository. Empty for several files. */
  readonly source: string;
  readonly entries: readonly { readonly path: string; readonly size: number }[];
  readonly importSome: (paths: ReadonlySet<string>, signal?: AbortSignal) => Promise<ProjectImport>;
}

/** More or larger files than a project can have, some of which may be imported. */
export class ImportTooLarge extends VitrineError {
  readonly source: string;
  readonly entries: TooLargeOptions['entries'];
  /** Imports the entries with these paths. Rejects like `readImport`, with this error if they are still too many. */
  readonly importSome: TooLargeOptions['importSome'];

  constructor(code: ErrorCode, { source, entries, importSome }: TooLargeOptions) {
    super(code, `${entries.length} files`);
    this.name = 'ImportTooLarge';
    this.source = source;
    this.entries = entries;
    this.importSome = importSome;
  }
}

/** A file or folder that isn't imported. */
export interface LeftOut {
  readonly path: string;
  /** Number of files in a folder. Undefined if it wasn't looked into. */
  readonly count?: number;
  readonly reason: LeftOutReason;
}

/**
 * `dependencies`, `repository`, `build` and `system` are folders and files that tools create;
 * `lockfile` is of a package manager, since packages are resolved anew; `link` is a symbolic link;
 * `duplicate` has the path of another file, as far as letter case goes; `outside` isn't in the folder
 * with the project's page. Of another editor's project, `unsupported` is a language or feature,
 * `settings` are the editor's own, `compiled` a source instead of which its output is imported,
 * `server` code that runs on a server, and `binary` a file whose bytes aren't in a link or form.
 */
export type LeftOutReason =
  | 'dependencies'
  | 'repository'
  | 'build'
  | 'system'
  | 'lockfile'
  | 'link'
  | 'duplicate'
  | 'outside'
  | 'unsupported'
  | 'settings'
  | 'compiled'
  | 'server'
  | 'binary'
  | ErrorCode;

/** Files of another editor's project, converted to a project of ours. Nothing is checked yet. */
export interface ImportedFiles {
  /** Title in the other editor. Any text. */
  readonly title?: string;
  /** Contents by path. Paths are any text. */
  readonly files: ReadonlyMap<string, string | Uint8Array<ArrayBuffer>>;
  /** What the project can't have. */
  readonly leftOut: readonly LeftOut[];
}
