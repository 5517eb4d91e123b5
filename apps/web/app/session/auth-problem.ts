import type { AuthError } from '@supabase/supabase-js';
import { isErrorCode, type ErrorCode } from '@vitrine/project';

/** What the catalogue calls an error of the auth client, and the field it belongs to. */
export interface AuthProblem {
  readonly code: ErrorCode;
  readonly field?: 'email' | 'username' | 'password' | 'current' | 'code' | 'name';
  readonly details?: string;
}

/** The auth server's codes → ours. */
const problems: Readonly<Record<string, Omit<AuthProblem, 'details'>>> = {
  invalid_credentials: { code: 'sign_in_failed', field: 'password' },
  email_not_confirmed: { code: 'email_not_confirmed', field: 'email' },
  email_address_invalid: { code: 'email_invalid', field: 'email' },
  validation_failed: { code: 'email_invalid', field: 'email' },
  email_exists: { code: 'email_taken', field: 'email' },
  user_already_exists: { code: 'email_taken', field: 'email' },
  weak_password: { code: 'password_too_common', field: 'password' },
  // Only a code that was typed: what is wrong with a link stands in the address it leads to.
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
  user_banned: { code: 'suspended' },
  over_request_rate_limit: { code: 'too_many_attempts' },
  over_email_send_rate_limit: { code: 'too_many_attempts' },
};

const fields: Readonly<Partial<Record<ErrorCode, AuthProblem['field']>>> = {
  username_taken: 'username',
  invalid_username: 'username',
  password_too_short: 'password',
  password_too_long: 'password',
  password_too_common: 'password',
  password_like_account: 'password',
};

/** The catalogue's word for whatever the auth client answered or threw. */
export function findAuthProblem(error: unknown): AuthProblem {
  if (!isAuthError(error)) return { code: 'unexpected', details: String(error) };
  return { ...translate(error), details: `${error.name} ${error.status ?? ''}: ${error.message}` };
}

function translate(error: AuthError): Omit<AuthProblem, 'details'> {
  const ours = findOwnCode(error);
  if (ours) return { code: ours, ...(fields[ours] ? { field: fields[ours] } : {}) };
  const known = Object.hasOwn(problems, error.code ?? '') ? problems[error.code ?? ''] : undefined;
  if (known) return known;
  if (error.name === 'AuthSessionMissingError') return { code: 'session_expired' };
  if (error.name === 'AuthPKCECodeVerifierMissingError') return { code: 'link_expired' };
  if (error.status === 429) return { code: 'too_many_attempts' };
  if (error.name === 'AuthRetryableFetchError')
    return { code: error.status === 0 ? 'server_unreachable' : 'backend_unreachable' };
  return { code: 'unexpected' };
}

/** As the client itself tells its errors apart; its own check would bring the whole client along. */
function isAuthError(error: unknown): error is AuthError {
  return error instanceof Error && '__isAuthError' in error;
}

/** Our database and our backend name the catalogue's code itself, as the code or within the message. */
function findOwnCode(error: AuthError): ErrorCode | undefined {
  if (isErrorCode(error.code) && !Object.hasOwn(problems, error.code)) return error.code;
  // One word alone, such as "unexpected", may be part of any sentence.
  return error.message
    .split(/[^a-z_]+/)
    .filter((word) => word.includes('_'))
    .find(isErrorCode);
}
