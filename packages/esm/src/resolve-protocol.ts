/*
 * Every message between the server's main thread and a thread that resolves packages.
 *
 * A thread runs one job at a time. It has no network access and no tokens: it requests packuments
 * from the main thread, which responds with the registry's JSON. Both sides are trusted code, and
 * untrusted content is only passed as strings.
 */
import type { ErrorCode } from '@vitrine/project';
import type { ResolutionTable, PackageMode } from './lockfile/resolution-hash.ts';

/**
 * Input of the job `resolve`: a project's package.json, its lockfile, and the changes to make. The
 * field names are part of the HTTP API.
 */
export interface ResolveRequest {
  readonly packageJson: string;
  /** Current package-lock.json. Versions in it that still satisfy their range are kept. */
  readonly lock?: string;
  /** Packages to add. Without a range: the latest version. */
  readonly add?: readonly { readonly name: string; readonly range?: string }[];
  readonly remove?: readonly string[];
  /** Packages to update to the newest version within their ranges. */
  readonly update?: readonly string[];
}

/** Direct dependency of a project. The field names are part of the HTTP API. */
export interface ResolvedPackage {
  /** Name as it is imported. */
  readonly name: string;
  readonly version: string;
  /** Base URL of its modules, for development: `/npm/NAME@VERSION~HASH`. */
  readonly base: string;
  readonly license?: string;
  readonly deprecated?: string;
}

/** Result of the job `resolve`. */
export interface ResolveResult {
  readonly packageJson: string;
  /** New package-lock.json. */
  readonly lock: string;
  readonly packages: readonly ResolvedPackage[];
  /** Resolution hash → resolution, for both modes. */
  readonly resolutions: ReadonlyMap<string, ResolutionTable>;
}

/** Packages of a project's lockfile. */
export interface ReadLockfileResult {
  readonly packages: readonly ResolvedPackage[];
  /** Resolution hash → resolution, for both modes. */
  readonly resolutions: ReadonlyMap<string, ResolutionTable>;
}

/** Where to download one version: two fields of npm's `dist`. */
export interface PackageTarball {
  /** URL of the tarball. */
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
  /** Distribution tag → version. */
  readonly tags: Readonly<Record<string, string>>;
  readonly deprecated?: string;
  readonly unpackedBytes?: number;
}

/** Jobs by kind, with their inputs and results. */
export interface Jobs {
  resolve: { input: ResolveRequest; result: ResolveResult };
  readLockfile: { input: { lockfile: string }; result: ReadLockfileResult };
  /** Resolves one package without a project. `base` is its base URL. */
  resolvePackage: {
    input: { name: string; range: string; mode: PackageMode };
    result: ResolveResult & { readonly base: string };
  };
  findTarball: { input: { name: string; version: string }; result: PackageTarball };
  getPackageInfo: { input: { name: string }; result: PackageInfo };
}

export type JobKind = keyof Jobs;

/** Server → thread. */
export type MessageToThread =
  | { readonly type: 'job'; readonly kind: JobKind; readonly input: Jobs[JobKind]['input'] }
  | { readonly type: 'packument'; readonly name: string; readonly body: Uint8Array }
  | { readonly type: 'packument-failed'; readonly name: string; readonly failure: JobFailure };

/** Thread → server. */
export type MessageFromThread =
  | { readonly type: 'request-packument'; readonly name: string }
  | { readonly type: 'done'; readonly result: Jobs[JobKind]['result'] }
  | { readonly type: 'failed'; readonly failure: JobFailure };

/** A VitrineError as it is sent between threads. */
export interface JobFailure {
  readonly code: ErrorCode;
  readonly details?: string;
}
