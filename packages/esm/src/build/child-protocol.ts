/**
 * Messages to the build process (lines of standard input) and from it (lines of standard output).
 */
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

/** Sent before the response: names of packages that the package imports. */
export interface ChildImports {
  readonly imports: readonly string[];
}

export type ChildResponse =
  | { readonly built: true }
  | { readonly built: false; readonly code: ErrorCode; readonly reason: string };

/** Parses a request. The parent process is trusted. */
export function parseChildRequest(text: string): ChildRequest {
  return JSON.parse(text) as ChildRequest;
}

/**
 * Parses a response. The child process read untrusted files, so every other text counts as a
 * failure.
 */
export function parseChildResponse(text: string): ChildResponse {
  const value = parseJson(text);
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

/** Parses the message about imports; undefined for every other text. */
export function parseChildImports(text: string): ChildImports | undefined {
  const value = parseJson(text);
  if (!isRecord(value) || !Array.isArray(value.imports)) return undefined;
  return { imports: value.imports.filter((name) => typeof name === 'string') };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A killed child leaves an incomplete response, or none.
    return undefined;
  }
}
