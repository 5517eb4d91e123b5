/*
 * Every message between the server's main thread and a process that resolves packages.
 *
 * A process runs one job at a time. It has no network access and no tokens: it requests packuments
 * from the main thread, which responds with the registry's JSON.
 */
import { isErrorCode, type ErrorCode } from '@vitrine/project';
import { isRecord } from '@vitrine/project/is-record';
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

/** Request to a process. */
export interface ResolveJob {
  readonly kind: JobKind;
  readonly input: Jobs[JobKind]['input'];
}

/** Result of a request. */
export type JobOutcome =
  | { readonly type: 'done'; readonly result: Jobs[JobKind]['result'] }
  | { readonly type: 'failed'; readonly failure: JobFailure };

/** Notice of a process: the job needs the packument of a package. */
export interface PackumentRequest {
  readonly name: string;
}

/** Notice to a process, in response. */
export type PackumentMessage =
  | { readonly type: 'packument'; readonly name: string; readonly body: Uint8Array }
  | { readonly type: 'packument-failed'; readonly name: string; readonly failure: JobFailure };

/** A VitrineError as it is sent between processes. */
export interface JobFailure {
  readonly code: ErrorCode;
  readonly details?: string;
}

/** Parses the outcome of a job, as far as which of the two it is. */
export function parseJobOutcome(value: unknown): JobOutcome {
  if (isRecord(value) && value.type === 'done' && isRecord(value.result))
    return value as JobOutcome & { type: 'done' };
  const failure = isRecord(value) && isRecord(value.failure) ? value.failure : {};
  const { code, details } = failure;
  return {
    type: 'failed',
    failure: {
      code: isErrorCode(code) ? code : 'unexpected',
      ...(typeof details === 'string' && { details }),
    },
  };
}

/** Parses the request for a packument; undefined for everything else. */
export function parsePackumentRequest(value: unknown): PackumentRequest | undefined {
  return isRecord(value) && typeof value.name === 'string' ? { name: value.name } : undefined;
}
