/** Messages to the build process and from it. */
import { isRecord } from '@vitrine/project/is-record';
import { isErrorCode, type ErrorCode } from '@vitrine/project/errors';
import type { BundleRequest } from './bundle-modules.ts';
import type { BuildRequest } from './manifest.ts';

export type ChildRequest =
  | {
      readonly kind: 'build';
      readonly folder: string;
      readonly output: string;
      readonly request: BuildRequest;
    }
  | { readonly kind: 'join'; readonly output: string; readonly request: BundleRequest };

/** Notice before the response: names of packages that the package imports. */
export interface ChildImports {
  readonly imports: readonly string[];
}

export type ChildResponse =
  | { readonly built: true }
  | { readonly built: false; readonly code: ErrorCode; readonly reason: string };

/**
 * Parses a response. The child process read untrusted files, so everything else counts as a failure.
 */
export function parseChildResponse(value: unknown): ChildResponse {
  if (isRecord(value) && value.built === true) return { built: true };
  if (isRecord(value) && isErrorCode(value.code) && typeof value.reason === 'string') {
    return { built: false, code: value.code, reason: value.reason };
  }
  return {
    built: false,
    code: 'package_build_failed',
    reason: 'The build process ended without a result',
  };
}

/** Parses the notice about imports; undefined for everything else. */
export function parseChildImports(value: unknown): ChildImports | undefined {
  if (!isRecord(value) || !Array.isArray(value.imports)) return undefined;
  return { imports: value.imports.filter((name) => typeof name === 'string') };
}
