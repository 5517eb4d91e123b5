import { findErrorCode, isErrorCode, type ErrorCode } from '@vitrine/project';
import { data, isRouteErrorResponse } from 'react-router';

const statuses: Readonly<Partial<Record<ErrorCode, number>>> = {
  not_found_or_private: 404,
  not_allowed: 403,
  suspended: 403,
  session_expired: 401,
  rate_limited: 429,
  too_many_attempts: 429,
  backend_unreachable: 503,
  unexpected: 500,
};

/** The response for a loader to throw, which the nearest error boundary shows. */
export function routeError(code: ErrorCode) {
  return data({ code }, statuses[code] ?? 400);
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
