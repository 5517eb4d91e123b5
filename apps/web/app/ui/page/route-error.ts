import { findErrorCode, isErrorCode, type ErrorCode } from '@vitrine/project';
import { data, isRouteErrorResponse } from 'react-router';

const statuses: Readonly<Partial<Record<ErrorCode, number>>> = {
  not_found_or_private: 404,
  project_in_trash: 404,
  not_allowed: 403,
  suspended: 403,
  session_expired: 401,
  rate_limited: 429,
  too_many_attempts: 429,
  backend_unreachable: 503,
  unexpected: 500,
};

/**
 * The response for a loader to throw, which the nearest error boundary shows. `projectId` is the
 * project that the error is about, if the page offers to do something with it.
 */
export function routeError(code: ErrorCode, projectId?: string) {
  return data({ code, projectId }, statuses[code] ?? 400);
}

/** Id of the project that a caught error is about, as passed to `routeError`. */
export function findRouteErrorProject(error: unknown): string | undefined {
  const body: unknown = isRouteErrorResponse(error) ? error.data : undefined;
  const isNamed = typeof body === 'object' && body !== null && 'projectId' in body;
  return isNamed && typeof body.projectId === 'string' ? body.projectId : undefined;
}

/** The catalog's code for an error that an error boundary caught. */
export function findRouteErrorCode(error: unknown): ErrorCode {
  if (!isRouteErrorResponse(error)) return findErrorCode(error);
  const body: unknown = error.data;
  if (typeof body === 'object' && body !== null && 'code' in body && isErrorCode(body.code)) {
    return body.code;
  }
  if (error.status === 404) return 'not_found_or_private';
  return error.status < 500 ? 'bad_request' : 'unexpected';
}
