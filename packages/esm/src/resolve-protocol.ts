/*
 * Every message between the server's thread and a thread that resolves.
 *
 * One job at a time is given to a thread. A thread has no network and no tokens: what it needs of
 * a registry it asks for, and is answered with the document as it came. Both sides are ours, and
 * nothing a stranger wrote is more than a string in here.
 */
import type { ErrorCode, LinkTable, PackageMode } from '@vitrine/project';

/** What to change in a project's packages, and from where. */
export interface ResolveRequest {
  readonly packageJson: string;
  /** The lock so far; every version in it that still fits is kept. */
  readonly lock?: string;
  /** Without a range: the latest. */
  readonly add?: readonly { readonly name: string; readonly range?: string }[];
  readonly remove?: readonly string[];
  /** These are taken anew, within their ranges. */
  readonly update?: readonly string[];
}

/** A package of the project itself. */
export interface ResolvedPackage {
  /** As it is imported. */
  readonly name: string;
  readonly version: string;
  /** `/npm/NAME@VERSION~LINK`, for development. */
  readonly base: string;
  readonly license?: string;
  readonly deprecated?: string;
}

export interface ResolveResult {
  readonly packageJson: string;
  readonly lock: string;
  readonly packages: readonly ResolvedPackage[];
  /** LINK → table, for both modes. */
  readonly tables: ReadonlyMap<string, LinkTable>;
}

/** What stands in a lock that a client holds. */
export interface ReadLockResult {
  readonly packages: readonly ResolvedPackage[];
  readonly tables: ReadonlyMap<string, LinkTable>;
}

/** Where one version's tarball is, and what it has to be. */
export interface PackageDist {
  readonly tarball: string;
  /** `sha512-…`, or of old packages `sha1-…`. */
  readonly integrity: string;
}

export interface PackageInfo {
  readonly name: string;
  readonly description: string;
  readonly license: string;
  /** Newest first. */
  readonly versions: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
  readonly deprecated?: string;
  readonly unpackedBytes?: number;
}

export interface Jobs {
  resolve: { input: ResolveRequest; result: ResolveResult };
  readLock: { input: { lock: string }; result: ReadLockResult };
  /** LINK of one version wished for by itself. */
  resolveOne: {
    input: { name: string; wish: string; mode: PackageMode };
    result: ResolveResult & { readonly base: string };
  };
  findDist: { input: { name: string; version: string }; result: PackageDist };
  describe: { input: { name: string }; result: PackageInfo };
}

export type JobKind = keyof Jobs;

/** Server → thread. */
export type ToThread =
  | { readonly type: 'job'; readonly kind: JobKind; readonly input: Jobs[JobKind]['input'] }
  | { readonly type: 'packument'; readonly name: string; readonly body: Uint8Array }
  | { readonly type: 'no-packument'; readonly name: string; readonly failure: Failure };

/** Thread → server. */
export type FromThread =
  | { readonly type: 'read-packument'; readonly name: string }
  | { readonly type: 'done'; readonly result: Jobs[JobKind]['result'] }
  | { readonly type: 'failed'; readonly failure: Failure };

export interface Failure {
  readonly code: ErrorCode;
  readonly details?: string;
}
