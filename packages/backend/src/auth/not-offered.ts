import { AuthError } from './auth-error.ts';

/**
 * What GoTrue has and we do not is refused as GoTrue refuses it where it is turned off, so that a
 * client says something better than “not found”.
 */
export function refuseSingleSignOn(): never {
  throw new AuthError(404, 'saml_provider_disabled', 'SAML 2.0 is disabled');
}

/** Refusals of ways to sign in that are not offered, by `grant_type`. */
const grants: Readonly<Record<string, readonly [string, string]>> = {
  web3: ['web3_provider_disabled', 'Web3 provider is disabled'],
};

export function refuseGrant(grantType: string | null): AuthError {
  const known = grantType !== null && Object.hasOwn(grants, grantType) && grants[grantType];
  const [code, message] = known || ['unsupported_grant_type', 'unsupported_grant_type'];
  return new AuthError(400, code, message);
}
