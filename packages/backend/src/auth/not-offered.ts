import { Hono } from 'hono';
import { AuthError } from './auth-error.ts';

/**
 * What GoTrue has and we do not is refused as GoTrue refuses it where it is turned off, so that a
 * client says something better than “not found”. `requirePerson` refuses whoever is not signed in.
 */
export function createNotOffered(requirePerson: (request: Request) => Promise<unknown>): Hono {
  const app = new Hono();
  app.post('/sso', () => {
    throw new AuthError(404, 'saml_provider_disabled', 'SAML 2.0 is disabled');
  });
  app.all('/user/identities/:id', async (c) => {
    await requirePerson(c.req.raw);
    throw new AuthError(404, 'manual_linking_disabled', 'Manual linking is disabled');
  });
  return app;
}

/** Refusals of ways to sign in that are not offered, by `grant_type`. */
const grants: Readonly<Record<string, readonly [string, string]>> = {
  web3: ['web3_provider_disabled', 'Web3 provider is disabled'],
  id_token: ['provider_disabled', 'Provider of this token is not enabled'],
};

export function refuseGrant(grantType: string | null): AuthError {
  const known = grantType !== null && Object.hasOwn(grants, grantType) && grants[grantType];
  const [code, message] = known || ['unsupported_grant_type', 'unsupported_grant_type'];
  return new AuthError(400, code, message);
}
