import postgres from 'postgres';
import { isConnectionError } from '../postgres/connection-errors.ts';

/**
 * An error response in the format of Supabase's Storage API: the HTTP status is 400 for nearly all
 * errors, and the body has the actual status.
 */
export class StorageError extends Error {
  readonly status: number;
  readonly code: string;
  /** The previous name of the code, which clients still read. */
  readonly error: string;
  readonly httpStatus: number;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    code: string,
    message: string,
    more: {
      error?: string;
      httpStatus?: number;
      headers?: Record<string, string>;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = 'StorageError';
    this.status = status;
    this.code = code;
    this.error = more.error ?? code;
    this.httpStatus = more.httpStatus ?? (status === 500 ? 500 : 400);
    this.headers = more.headers ?? {};
  }
}

export function createStorageErrorResponse({
  status,
  code,
  error,
  message,
  httpStatus,
  headers,
}: StorageError) {
  const body = { statusCode: String(status), code, error, message };
  return Response.json(body, { status: httpStatus, headers });
}

export function accessDenied(message: string): StorageError {
  return new StorageError(403, 'AccessDenied', message, { error: 'Unauthorized' });
}

export function noSuchBucket(): StorageError {
  return new StorageError(404, 'NoSuchBucket', 'Bucket not found', { error: 'Bucket not found' });
}

export function noSuchObject(): StorageError {
  return new StorageError(404, 'NoSuchKey', 'Object not found', { error: 'not_found' });
}

export function alreadyExists(code: 'KeyAlreadyExists' | 'BucketAlreadyExists'): StorageError {
  return new StorageError(409, code, 'The resource already exists', { error: 'Duplicate' });
}

export function tooManyRequests(waitSeconds: number): StorageError {
  const message = `For security purposes, you can only request this after ${waitSeconds} seconds.`;
  const headers = { 'retry-after': String(waitSeconds) };
  return new StorageError(429, 'SlowDown', message, { httpStatus: 429, headers });
}

export function tooLarge(entity = 'object'): StorageError {
  const message = `The ${entity} exceeded the maximum allowed size`;
  return new StorageError(413, 'EntityTooLarge', message, { error: 'Payload too large' });
}

export function invalidRequest(message: string): StorageError {
  return new StorageError(400, 'InvalidRequest', message);
}

export function typeNotAllowed(mimeType: string): StorageError {
  const message = `mime type ${mimeType} is not supported`;
  return new StorageError(415, 'InvalidMimeType', message, { error: 'invalid_mime_type' });
}

/** Maps an error of the database to the caller's error. Rethrows unexpected errors. */
export function mapStorageDatabaseError(error: unknown): StorageError {
  if (!(error instanceof postgres.PostgresError) || isConnectionError(error)) throw error;
  const cause = error;
  switch (error.code) {
    case '42501': {
      const isPolicy = error.message.includes('row-level security');
      return accessDenied(isPolicy ? 'new row violates row-level security policy' : error.message);
    }
    case '23505':
      return new StorageError(409, 'ResourceAlreadyExists', 'The resource already exists', {
        error: 'Duplicate',
        cause,
      });
    case '23503':
      return new StorageError(404, 'InvalidRequest', 'The related resource does not exist', {
        cause,
      });
    case '55P03':
      return new StorageError(423, 'ResourceLocked', 'The resource is locked', { cause });
    case '57014':
      return new StorageError(544, 'DatabaseTimeout', 'The connection to the database timed out', {
        httpStatus: 544,
        cause,
      });
  }
  // Text that PostgreSQL cannot store, such as U+0000, or JSON that is nested too deeply.
  if (/^(22|54)/.test(error.code)) {
    return new StorageError(400, 'InvalidParameter', error.message, { cause });
  }
  const message = `database error, code: ${error.code}`;
  return new StorageError(500, 'DatabaseError', message, { cause });
}
