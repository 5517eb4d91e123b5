/** Errors that a frame reports; the host turns them into diagnostics. */
import { isRecord } from '@vitrine/project';
import { parseCount } from './console-values.ts';
import { parseSourceLocation } from './message-parts.ts';
import { ruleLimits } from './network-rules.ts';
import { findPermission, type PermissionName } from './permissions.ts';
import type { SourceLocation } from './message-parts.ts';

export type RuntimeError = UncaughtError | LoadError;
/** What a frame reports as a problem. */
export type FrameProblem = RuntimeError | RefusedPermission;

/** Field of an error that one of the user's network rules may have caused. */
interface NetworkRuleFailure {
  /** Pattern of the user's network rule that failed the request. */
  rule?: string;
}

/** An uncaught error, or the reason of an unhandled rejection. */
export interface UncaughtError extends SourceLocation, NetworkRuleFailure {
  kind: 'error' | 'rejection';
  /** The browser's message, "TypeError: x is not a function", or the thrown value as text. */
  message: string;
  /** '' if the thrown value isn't an error. */
  stack: string;
  /** Number of a rejection within its document; `rejection-handled` refers to it. */
  rejection?: number;
  /** Permission whose refusal the error reports, with a `RefusedPermission` before it. */
  permission?: PermissionName;
}

/** A permission that a call of the page didn't get, by the user's choice, our policy or the browser's. */
export interface RefusedPermission extends SourceLocation {
  kind: 'permission';
  permission: PermissionName;
}

/** A file that the page requested and that failed to load. The host locates the URL in the project's source. */
export interface LoadError extends NetworkRuleFailure {
  kind: 'resource';
  /** Initiator: an element's name, `fetch`, `xmlhttprequest` or `css`. */
  by: string;
  /** URL as the page wrote it, possibly relative. */
  written: string;
  /** Project path of the file; '' for other URLs. */
  file: string;
  /** Path of the document. */
  page: string;
  /** HTTP status; 0 if unknown. */
  status: number;
  /** Name of the empty attribute that caused the failure. */
  attribute?: string;
  /** Source location of the call that requested it, if known. */
  location?: SourceLocation;
  /** For a script that failed to load: responses to it and its imports that aren't scripts, if known. */
  causes?: LoadErrorCause[];
}

/** A response that isn't a script. */
export interface LoadErrorCause {
  address: string;
  /** Project path of the file; '' for other URLs. */
  file: string;
  /** HTTP status; 0 without a response. */
  status: number;
  /** MIME type such as "text/plain"; '' if unknown. */
  mediaType: string;
}

/** Maximum number of causes per script. */
export const maxCauses = 3;
const textLimit = 10_000;

export function parseRuntimeError(
  input: unknown,
  location: SourceLocation | undefined,
): FrameProblem | undefined {
  if (!isRecord(input)) return undefined;
  switch (input['kind']) {
    case 'error':
    case 'rejection': {
      const [message, stack] = parseStrings(input['message'], input['stack']);
      if (message === undefined || stack === undefined || !location) return undefined;
      const rejection = parseCount(input['rejection']);
      const rejectionField = rejection === undefined ? {} : { rejection };
      return {
        kind: input['kind'],
        message,
        stack,
        ...rejectionField,
        ...parseRule(input),
        ...parsePermission(input),
        ...location,
      };
    }
    case 'permission': {
      const { permission } = parsePermission(input);
      return permission && location && { kind: 'permission', permission, ...location };
    }
    case 'resource':
      return parseLoadError(input);
    default:
      return undefined;
  }
}

function parseLoadError(input: Record<string, unknown>): LoadError | undefined {
  const [by, written, file, page] = parseStrings(
    input['by'],
    input['written'],
    input['file'],
    input['page'],
  );
  const status = parseCount(input['status']);
  if (by === undefined || written === undefined || file === undefined) return undefined;
  if (page === undefined || status === undefined) return undefined;
  const causes = parseCauses(input['causes']);
  const [attribute] = parseStrings(input['attribute']);
  const location = parseSourceLocation(input['location']);
  return {
    kind: 'resource',
    by,
    written,
    file,
    page,
    status,
    ...(causes.length > 0 && { causes }),
    ...(attribute !== undefined && { attribute }),
    ...(location && { location }),
    ...parseRule(input),
  };
}

function parseCauses(input: unknown): LoadErrorCause[] {
  if (!Array.isArray(input)) return [];
  return input.slice(0, maxCauses).flatMap((cause: unknown) => {
    if (!isRecord(cause)) return [];
    const [address, file, mediaType] = parseStrings(
      cause['address'],
      cause['file'],
      cause['mediaType'],
    );
    const status = parseCount(cause['status']);
    if (address === undefined || file === undefined || mediaType === undefined) return [];
    return status === undefined ? [] : [{ address, file, status, mediaType }];
  });
}

function parseRule({ rule }: Record<string, unknown>): NetworkRuleFailure {
  return typeof rule === 'string' && rule.length <= ruleLimits.pattern ? { rule } : {};
}

function parsePermission(input: Record<string, unknown>): { permission?: PermissionName } {
  const found = findPermission(input['permission']);
  return found ? { permission: found.name } : {};
}

function parseStrings(...inputs: unknown[]): (string | undefined)[] {
  return inputs.map((input) =>
    typeof input === 'string' && input.length <= textLimit ? input : undefined,
  );
}
