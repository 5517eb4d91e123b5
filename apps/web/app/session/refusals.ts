import type { ErrorCode } from '@vitrine/project';

/** What a mailed link or a provider came back with, as the address says it → the catalogue's code. */
const refusals: Readonly<Record<string, ErrorCode>> = {
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
  user_banned: 'suspended',
};

/**
 * Why nobody was signed in, by the parameters of the callback's address; undefined where it has no
 * such. The words beside the code are whoever's made the address, and are shown to nobody.
 */
export function findRefusal(parameters: URLSearchParams): ErrorCode | undefined {
  const named = [parameters.get('error_code'), parameters.get('error')];
  if (named.every((name) => name === null)) return undefined;
  const known = named.find((name) => name !== null && Object.hasOwn(refusals, name));
  return refusals[known ?? ''] ?? 'link_expired';
}
