/** An error response of /auth/v1, with GoTrue's codes and messages. */
export class AuthError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: AuthErrorDetails;

  constructor(status: number, code: string, message: string, details: AuthErrorDetails = {}) {
    super(message);
    this.name = 'AuthError';
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

interface AuthErrorDetails {
  retryAfterSeconds?: number;
  /** Why a password is too weak. */
  reasons?: string[];
  /** Sends the OAuth error format (RFC 6749, section 5.2), with this as `error`. */
  oauthError?: string;
}

const authApiVersion = '2024-01-01';

/**
 * Creates the response for `error`. GoTrue has two formats: clients that send API version
 * 2024-01-01 get `{ code, message }` and that version as a header, others `{ code: status,
 * error_code, msg }`.
 */
export function createAuthErrorResponse(error: AuthError, request: Request): Response {
  const { status, code, message, details } = error;
  if (details.oauthError !== undefined) {
    return Response.json({ error: details.oauthError, error_description: message }, { status });
  }
  const isCurrent = (request.headers.get('x-supabase-api-version') ?? '') >= authApiVersion;
  const body = isCurrent ? { code, message } : { code: status, error_code: code, msg: message };
  const headers = new Headers();
  if (isCurrent) headers.set('x-supabase-api-version', authApiVersion);
  if (details.retryAfterSeconds !== undefined)
    headers.set('retry-after', String(details.retryAfterSeconds));
  const weak = details.reasons === undefined ? {} : { weak_password: { reasons: details.reasons } };
  return Response.json({ ...body, ...weak }, { status, headers });
}

export function createValidationError(message: string): AuthError {
  return new AuthError(400, 'validation_failed', message);
}
