import { createHash } from 'node:crypto';
import { decodeJwt, errors, jwtVerify } from 'jose';
import type { JWTPayload } from 'jose';
import { AuthError } from '../auth-error.ts';
import type { AuthContext, ClientInfo } from '../context.ts';
import { findOrCreateUserByIdentity, linkIdentity } from './external-accounts.ts';
import { parseIdentityClaims } from './external-identity.ts';
import { assertManualLinkingEnabled } from '../identities.ts';
import { isMissing } from '../input.ts';
import type { AuthRequestBody } from '../input.ts';
import type { SessionUser } from '../session-user.ts';
import { assertRecentAuthentication } from '../reauthentication.ts';
import type { ProviderSettings } from './provider-settings.ts';
import { timingSafeEqualText } from '../secret-text.ts';
import { createSessionResponse, createSession } from '../sessions.ts';
import { findUser, requireUser } from '../users.ts';

const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/**
 * Signs in with an ID token that an app got from the provider itself. The settings choose whose
 * keys verify it, never the token, so that a token of another issuer is rejected (AU-18).
 */
export async function signInWithIdToken(
  ctx: AuthContext,
  body: AuthRequestBody,
  clientInfo: ClientInfo,
  findSessionUser: () => Promise<SessionUser>,
) {
  const { id_token: token, link_identity: linksIdentity } = body;
  if (isMissing(token) || typeof token !== 'string') throw createOAuthError('id_token required');
  const linkingUser = linksIdentity === true ? await findSessionUser() : undefined;
  if (linkingUser !== undefined) {
    assertManualLinkingEnabled(ctx);
    assertRecentAuthentication(linkingUser);
  }
  const provider = findProvider(ctx, body);
  assertWellFormedToken(token);
  ctx.limits.wrongLinkFromAddress.consume(clientInfo.rateLimitKey);
  const claims = await verifyToken(ctx, provider, token);
  assertNonce(provider, claims, body['nonce']);
  assertAccessTokenHash(claims, body['access_token']);
  const identity = parseIdentityClaims(provider, claims);
  const answer = await ctx.sql.begin(async (tx) => {
    if (linkingUser !== undefined) await linkIdentity(tx, linkingUser.user, identity);
    const user = linkingUser?.user ?? (await findOrCreateUserByIdentity(ctx, tx, identity));
    const tokens = await createSession(tx, user.id, 'oauth', clientInfo);
    return createSessionResponse(ctx, tx, requireUser(await findUser(tx, user.id)), tokens);
  });
  ctx.limits.wrongLinkFromAddress.refund(clientInfo.rateLimitKey);
  return answer;
}

/** Rejects malformed tokens before the provider's keys are requested. */
function assertWellFormedToken(token: string): void {
  try {
    decodeJwt(token);
  } catch (error) {
    if (error instanceof errors.JWTInvalid) throw createOAuthError('Bad ID token');
    throw error;
  }
}

/** Finds the configured provider by name, or by issuer. */
function findProvider(
  ctx: AuthContext,
  { provider: name, issuer, client_id: client }: AuthRequestBody,
) {
  if (isMissing(name) && (isMissing(issuer) || isMissing(client))) {
    throw createOAuthError('provider or client_id and issuer required');
  }
  const found = ctx.settings.providers.find((one) =>
    isMissing(name) ? one.url === issuer : one.name === name,
  );
  if (found !== undefined && found.name !== 'github') return found;
  throw new AuthError(
    400,
    'provider_disabled',
    `Provider (issuer ${JSON.stringify(isMissing(name) ? issuer : name)}) is not enabled`,
  );
}

async function verifyToken(
  ctx: AuthContext,
  provider: ProviderSettings,
  token: string,
): Promise<JWTPayload> {
  const { issuer, keys } = await ctx.providers.discover(provider);
  try {
    const { payload } = await jwtVerify(token, keys, {
      algorithms,
      issuer,
      audience: [...provider.clientIds],
      requiredClaims: ['exp', 'iat', 'sub'],
      clockTolerance: 60,
    });
    return payload;
  } catch (error) {
    ctx.log.info('An ID token was rejected.', {
      provider: provider.name,
      reason: error instanceof Error ? error.name : typeof error,
    });
    throw createOAuthError('Bad ID token');
  }
}

/**
 * Proves that the sender requested the token: only they know the nonce that the token has the hash
 * of.
 */
function assertNonce(provider: ProviderSettings, claims: JWTPayload, nonce: unknown): void {
  if (provider.skipNonceCheck) return;
  const hashed = claims['nonce'];
  if (isMissing(hashed) && isMissing(nonce)) return;
  if (typeof hashed !== 'string' || typeof nonce !== 'string' || hashed === '' || nonce === '') {
    throw createOAuthError('Passed nonce and nonce in id_token should either both exist or not.');
  }
  const hash = createHash('sha256').update(nonce).digest('hex');
  if (!timingSafeEqualText(hash, hashed))
    throw createOAuthError('Nonces mismatch', 'invalid nonce');
}

/**
 * OpenID Connect Core, 3.1.3.6: at_hash is the left half of the hash of the access token. All SHA-2
 * lengths are tried.
 */
function assertAccessTokenHash(claims: JWTPayload, accessToken: unknown): void {
  const expected = claims['at_hash'];
  if (typeof accessToken !== 'string' || typeof expected !== 'string') return;
  const halves = ['sha256', 'sha384', 'sha512'].map((name) => {
    const hash = createHash(name).update(accessToken).digest();
    return hash.subarray(0, hash.length / 2).toString('base64url');
  });
  if (!halves.some((half) => timingSafeEqualText(half, expected)))
    throw createOAuthError('Bad ID token');
}

function createOAuthError(description: string, error = 'invalid request'): AuthError {
  return new AuthError(400, 'validation_failed', description, { oauthError: error });
}
