import { AuthError } from './auth-error.ts';

/**
 * Unsupported features of GoTrue, rejected as GoTrue does when they are turned off: clients then
 * show something better than “not found”.
 */
export function rejectSingleSignOn(): never {
  throw new AuthError(404, 'saml_provider_disabled', 'SAML 2.0 is disabled');
}

/** Errors for unsupported sign-in methods, by `grant_type`. */
const grantTypeErrors: Readonly<Record<string, readonly [string, string]>> = {
  web3: ['web3_provider_disabled', 'Web3 provider is disabled'],
};

export function createGrantTypeError(grantType: string | null): AuthError {
  const known =
    grantType !== null && Object.hasOwn(grantTypeErrors, grantType) && grantTypeErrors[grantType];
  const [code, message] = known || ['unsupported_grant_type', 'unsupported_grant_type'];
  return new AuthError(400, code, message);
}
