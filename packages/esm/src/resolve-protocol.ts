/*
 * Every message between the server's main thread and a thread that resolves packages.
 *
 * A thread runs one job at a time. It has no network access and no tokens: it requests packuments
 * from the main thread, which responds with the registry's JSON. Both sides are trusted code, and
 * untrusted content is only passed as strings.
 */
import type { ErrorCode, ResolutionTable, PackageMode } from '@vitrine/project';

/** Changes to a project's packages. */
export interface ResolveRequest {
  readonly packageJson: string;
  /** Current package-lock.json. Every version in it that still fits is kept. */
  readonly lock?: string;
  /** Packages to add. Without a range: the latest version. */
  readonly add?: readonly { readonly name: string; readonly range?: string }[];
  readonly remove?: readonly string[];
  /** Packages to update to the newest version within their ranges. */
  readonly update?: readonly string[];
}

/** Direct dependency of a project. */
export interface ResolvedPackage {
  /** Name as it is imported. */
  readonly name: string;
  readonly version: string;
  /** `/npm/NAME@VERSION~HASH`, for development. */
  readonly base: string;
  readonly license?: string;
  readonly deprecated?: string;
}

export interface ResolveResult {
  readonly packageJson: string;
  readonly lock: string;
  readonly packages: readonly ResolvedPackage[];
  /** Resolution hash → resolution, for both modes. */
  readonly tables: ReadonlyMap<string, ResolutionTable>;
}

/** Content of a client's lockfile. */
export interface ReadLockResult {
  readonly packages: readonly ResolvedPackage[];
  readonly tables: ReadonlyMap<string, ResolutionTable>;
}

/** Tarball of one version, and its integrity. */
export interface PackageTarball {
  readonly tarball: string;
  /** `sha512-…`, or `sha1-…` for old packages. */
  readonly integrity: string;
}

/** Details of a package for the Packages panel. The field names are part of the HTTP API. */
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

/** Jobs by kind, with their inputs and results. */
export interface Jobs {
  resolve: { input: ResolveRequest; result: ResolveResult };
  readLock: { input: { lock: string }; result: ReadLockResult };
  /** Resolves one package by itself. */
  resolveOne: {
    input: { name: string; range: string; mode: PackageMode };
    result: ResolveResult & { readonly base: string };
  };
  findDist: { input: { name: string; version: string }; result: PackageTarball };
  describe: { input: { name: string }; result: PackageInfo };
}

export type JobKind = keyof Jobs;

/** Server → thread. */
export type ToThread =
  | { readonly type: 'job'; readonly kind: JobKind; readonly input: Jobs[JobKind]['input'] }
  | { readonly type: 'packument'; readonly name: string; readonly body: Uint8Array }
  | { readonly type: 'no-packument'; readonly name: string; readonly failure: JobFailure };

/** Thread → server. */
export type FromThread =
  | { readonly type: 'read-packument'; readonly name: string }
  | { readonly type: 'done'; readonly result: Jobs[JobKind]['result'] }
  | { readonly type: 'failed'; readonly failure: JobFailure };

/** A VitrineError as it is sent between threads. */
export interface JobFailure {
  readonly code: ErrorCode;
  readonly details?: string;
}
