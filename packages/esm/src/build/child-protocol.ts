/** The messages to the building process (a line of standard input each) and from it (of standard output). */
import { isErrorCode, type ErrorCode } from '@vitrine/project/errors';
import type { JoinRequest } from './join-modules.ts';
import type { BuildRequest } from './manifest.ts';
import { isRecord } from './package-json.ts';

export type ChildRequest =
  | {
      readonly kind: 'build';
      readonly folder: string;
      readonly output: string;
      readonly request: BuildRequest;
    }
  | { readonly kind: 'join'; readonly output: string; readonly request: JoinRequest };

/** Before the answer: names of packages that the one being built imports. */
export interface ChildImports {
  readonly imports: readonly string[];
}

export type ChildAnswer =
  | { readonly built: true }
  | { readonly built: false; readonly code: ErrorCode; readonly reason: string };

/** The parent is trusted: it wrote the request a moment ago. */
export function parseChildRequest(text: string): ChildRequest {
  return JSON.parse(text) as ChildRequest;
}

/** The child read strangers' files: whatever is not an answer is a failure. */
export function parseChildAnswer(text: string): ChildAnswer {
  const value = readJson(text);
  if (isRecord(value) && value.built === true) return { built: true };
  if (isRecord(value) && isErrorCode(value.code) && typeof value.reason === 'string') {
    return { built: false, code: value.code, reason: value.reason };
  }
  return {
    built: false,
    code: 'package_build_failed',
    reason: 'The build ended without an answer',
  };
}

/** Undefined for whatever else it said. */
export function parseChildImports(text: string): ChildImports | undefined {
  const value = readJson(text);
  if (!isRecord(value) || !Array.isArray(value.imports)) return undefined;
  return { imports: value.imports.filter((name) => typeof name === 'string') };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A child that was killed leaves half an answer or none.
    return undefined;
  }
}
