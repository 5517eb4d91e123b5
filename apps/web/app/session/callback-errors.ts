import type { ErrorCode } from '@vitrine/project';

/** Error code in the callback URL of an email link or provider → the catalog's code. */
const codes: Readonly<Record<string, ErrorCode>> = {
  otp_expired: 'link_expired',
  bad_oauth_callback: 'provider_refused',
  bad_oauth_state: 'provider_refused',
  access_denied: 'provider_refused',
  unexpected_failure: 'provider_unreachable',
  server_error: 'provider_unreachable',
  validation_failed: 'provider_email_missing',
  provider_email_needs_verification: 'provider_email_missing',
  identity_already_exists: 'identity_taken',
  email_exists: 'email_taken',
  signup_disabled: 'sign_up_closed',
  user_banned: 'user_banned',
};

/**
 * Finds the error in the parameters of the callback URL; undefined if sign-in succeeded. The error
 * description in the URL could be anyone's text, so it is never shown.
 */
export function findCallbackError(parameters: URLSearchParams): ErrorCode | undefined {
  const errors = [parameters.get('error_code'), parameters.get('error')];
  if (errors.every((error) => error === null)) return undefined;
  const known = errors.find((error) => error !== null && Object.hasOwn(codes, error));
  return codes[known ?? ''] ?? 'link_expired';
}
