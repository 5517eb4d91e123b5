import type { AuthError } from '@supabase/supabase-js';
import { isErrorCode, type ErrorCode } from '@vitrine/project';

/** An auth error as the catalog knows it, and the form field it belongs to. */
export interface AuthFailure {
  readonly code: ErrorCode;
  readonly field?: 'email' | 'username' | 'password' | 'current' | 'code' | 'name';
  /** Technical description for the error's details. */
  readonly details?: string;
}

/** The auth server's error code → the catalog's. */
const failures: Readonly<Record<string, Omit<AuthFailure, 'details'>>> = {
  invalid_credentials: { code: 'sign_in_failed', field: 'password' },
  email_not_confirmed: { code: 'email_not_confirmed', field: 'email' },
  email_address_invalid: { code: 'email_invalid', field: 'email' },
  validation_failed: { code: 'email_invalid', field: 'email' },
  email_exists: { code: 'email_taken', field: 'email' },
  user_already_exists: { code: 'email_taken', field: 'email' },
  weak_password: { code: 'password_too_common', field: 'password' },
  // Only for entered codes: an expired link is reported in the callback URL.
  otp_expired: { code: 'code_wrong', field: 'code' },
  reauthentication_not_valid: { code: 'code_wrong', field: 'code' },
  mfa_verification_failed: { code: 'code_wrong', field: 'code' },
  mfa_challenge_expired: { code: 'code_wrong', field: 'code' },
  mfa_factor_name_conflict: { code: 'factor_name_taken', field: 'name' },
  too_many_enrolled_mfa_factors: { code: 'too_many_factors' },
  mfa_totp_enroll_not_enabled: { code: 'second_factor_off' },
  manual_linking_disabled: { code: 'linking_off' },
  signup_disabled: { code: 'sign_up_closed' },
  identity_already_exists: { code: 'identity_taken' },
  insufficient_aal: { code: 'second_factor_needed' },
  flow_state_not_found: { code: 'link_expired' },
  flow_state_expired: { code: 'link_expired' },
  bad_code_verifier: { code: 'link_expired' },
  session_not_found: { code: 'session_expired' },
  session_expired: { code: 'session_expired' },
  refresh_token_not_found: { code: 'session_expired' },
  refresh_token_already_used: { code: 'session_expired' },
  bad_jwt: { code: 'session_expired' },
  reauthentication_needed: { code: 'sign_in_again' },
  user_banned: { code: 'user_banned' },
  over_request_rate_limit: { code: 'too_many_attempts' },
  over_email_send_rate_limit: { code: 'too_many_attempts' },
};

const fields: Readonly<Partial<Record<ErrorCode, AuthFailure['field']>>> = {
  username_taken: 'username',
  invalid_username: 'username',
  password_too_short: 'password',
  password_not_text: 'password',
  password_too_long: 'password',
  password_too_common: 'password',
  password_like_account: 'password',
};

/** Converts anything that the auth client returned or threw as an error. */
export function toAuthFailure(error: unknown): AuthFailure {
  if (!isAuthError(error)) return { code: 'unexpected', details: String(error) };
  return { ...translate(error), details: `${error.name} ${error.status ?? ''}: ${error.message}` };
}

function translate(error: AuthError): Omit<AuthFailure, 'details'> {
  const ownCode = findOwnCode(error);
  if (ownCode) return { code: ownCode, ...(fields[ownCode] ? { field: fields[ownCode] } : {}) };
  const known = Object.hasOwn(failures, error.code ?? '') ? failures[error.code ?? ''] : undefined;
  if (known) return known;
  if (error.name === 'AuthSessionMissingError') return { code: 'session_expired' };
  if (error.name === 'AuthPKCECodeVerifierMissingError') return { code: 'link_expired' };
  if (error.status === 429) return { code: 'too_many_attempts' };
  if (error.name === 'AuthRetryableFetchError')
    return { code: error.status === 0 ? 'server_unreachable' : 'backend_unreachable' };
  return { code: 'unexpected' };
}

/** Same check as the client's `isAuthError`, whose import would load the whole client. */
function isAuthError(error: unknown): error is AuthError {
  return error instanceof Error && '__isAuthError' in error;
}

/**
 * Finds a catalog code in the error: our database and backend put it into the code or the message.
 */
function findOwnCode(error: AuthError): ErrorCode | undefined {
  if (isErrorCode(error.code) && !Object.hasOwn(failures, error.code)) return error.code;
  // A code that is a single word, such as "unexpected", could be part of any message.
  return error.message
    .split(/[^a-z_]+/)
    .filter((word) => word.includes('_'))
    .find(isErrorCode);
}
