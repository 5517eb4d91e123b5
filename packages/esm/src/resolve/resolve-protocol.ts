/*
 * Every message between the server's main thread and a thread that resolves packages.
 *
 * A thread runs one job at a time. It has no network access and no tokens: it requests packuments
 * from the main thread, which responds with the registry's JSON. Both sides are trusted code, and
 * untrusted content is only passed as strings.
 */
import type { ErrorCode } from '@vitrine/project';
import type { ResolutionTable, PackageMode } from '../lockfile/resolution-hash.ts';
import type { PackageInfo, ResolvedPackage, ResolveRequest } from '../messages.ts';

/** Result of the job `resolve`. */
interface ResolveResult {
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
