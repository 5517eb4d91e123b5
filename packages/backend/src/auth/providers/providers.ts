/**
 * External sign-in: OpenID providers, found by discovery, and GitHub, which is not one. Every
 * request uses PKCE (RFC 7636) and a nonce, and tokens are only accepted from the issuer in the
 * settings.
 */
import { createRemoteJWKSet } from 'jose';
import type { JWTVerifyGetKey } from 'jose';
import * as oauth from 'oauth4webapi';
import { describeErrorForLog } from '../../log.ts';
import type { Log } from '../../log.ts';
import { AuthError, createValidationError } from '../auth-error.ts';
import { parseIdentityClaims } from './external-identity.ts';
import type { ExternalIdentity } from './external-identity.ts';
import { createGithubServer, fetchGithubIdentity } from './github.ts';
import { createProviderRequestOptions } from './provider-requests.ts';
import type { ProviderSettings } from './provider-settings.ts';

/** State of an authorization request between the redirect to the provider and the callback. */
interface AuthorizationRequest {
  state: string;
  verifier: string;
  nonce: string;
  redirectUri: string;
}

export interface AuthorizationResult {
  identity: ExternalIdentity;
  accessToken: string;
  refreshToken: string | null;
}

export interface Providers {
  readonly names: readonly string[];
  /** Throws GoTrue's error when the provider is not enabled. */
  get(name: unknown): ProviderSettings;
  /** The issuer of an OpenID provider's tokens, and the keys that verify them. */
  discover(provider: ProviderSettings): Promise<{ issuer: string; keys: JWTVerifyGetKey }>;
  /** The authorization URL to redirect the browser to. */
  createAuthorizationUrl(
    provider: ProviderSettings,
    authorization: AuthorizationRequest,
    scopes: string[],
  ): Promise<URL>;
  /** Exchanges the callback's query for the user's identity and tokens. */
  exchangeCode(
    provider: ProviderSettings,
    authorization: AuthorizationRequest,
    query: URLSearchParams,
  ): Promise<AuthorizationResult>;
}

const cacheMs = 3_600_000;

export function createProviders(list: readonly ProviderSettings[], log: Log): Providers {
  const byName = new Map(list.map((provider) => [provider.name, provider]));
  /** Discovery documents by provider name, for an hour. Failures are not cached. */
  const cache = new Map<string, CachedServer>();
  const discover = async (provider: ProviderSettings): Promise<CachedServer> => {
    const cached = cache.get(provider.name);
    if (cached !== undefined && Date.now() - cached.at < cacheMs) return cached;
    const server = await discoverServer(provider, log);
    const created = { server, keys: createKeySet(server), at: Date.now() };
    cache.set(provider.name, created);
    return created;
  };
  return {
    names: [...byName.keys()],
    async discover(provider) {
      const { server, keys } = await discover(provider);
      return { issuer: server.issuer, keys };
    },
    get(name) {
      const provider = typeof name === 'string' ? byName.get(name.toLowerCase()) : undefined;
      if (provider === undefined) {
        throw createValidationError('Unsupported provider: provider is not enabled');
      }
      return provider;
    },
    async createAuthorizationUrl(provider, authorization, scopes) {
      const { server } = await discover(provider);
      const url = new URL(server.authorization_endpoint ?? '');
      const scopeSet = new Set([...getRequiredScopes(provider), ...scopes]);
      const parameters = {
        client_id: createClient(provider).client_id,
        redirect_uri: authorization.redirectUri,
        response_type: 'code',
        scope: [...scopeSet].join(' '),
        state: authorization.state,
        code_challenge: await oauth.calculatePKCECodeChallenge(authorization.verifier),
        code_challenge_method: 'S256',
        ...(isGithub(provider) ? {} : { nonce: authorization.nonce }),
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url;
    },
    async exchangeCode(provider, authorization, query) {
      const { server } = await discover(provider);
      return mapProviderErrors(provider, log, () =>
        exchangeAuthorizationCode(provider, server, authorization, query),
      );
    },
  };
}

interface CachedServer {
  server: oauth.AuthorizationServer;
  keys: JWTVerifyGetKey;
  at: number;
}

function createKeySet({ jwks_uri: address }: oauth.AuthorizationServer): JWTVerifyGetKey {
  if (address !== undefined) return createRemoteJWKSet(new URL(address));
  return () => {
    throw new Error('The provider publishes no keys.');
  };
}

function isGithub({ name }: ProviderSettings): boolean {
  return name === 'github';
}

async function discoverServer(
  provider: ProviderSettings,
  log: Log,
): Promise<oauth.AuthorizationServer> {
  if (isGithub(provider)) return createGithubServer(provider);
  const issuer = new URL(provider.url);
  return mapProviderErrors(provider, log, async () => {
    const answer = await oauth.discoveryRequest(issuer, createProviderRequestOptions(provider));
    return oauth.processDiscoveryResponse(issuer, answer);
  });
}

function createClient(provider: ProviderSettings): oauth.Client {
  return { client_id: provider.clientIds[0] ?? '' };
}

function getRequiredScopes(provider: ProviderSettings): string[] {
  return isGithub(provider) ? ['read:user', 'user:email'] : ['openid', 'email', 'profile'];
}

async function exchangeAuthorizationCode(
  provider: ProviderSettings,
  server: oauth.AuthorizationServer,
  authorization: AuthorizationRequest,
  query: URLSearchParams,
): Promise<AuthorizationResult> {
  const client = createClient(provider);
  const options = createProviderRequestOptions(provider);
  const parameters = oauth.validateAuthResponse(server, client, query, authorization.state);
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.ClientSecretPost(provider.clientSecret),
    parameters,
    authorization.redirectUri,
    authorization.verifier,
    options,
  );
  const isOpenId = !isGithub(provider);
  const tokens = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    answer,
    isOpenId ? { expectedNonce: authorization.nonce, requireIdToken: true } : {},
  );
  if (isOpenId) await oauth.validateApplicationLevelSignature(server, answer, options);
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  return {
    identity:
      claims === undefined
        ? await fetchGithubIdentity(provider, tokens.access_token)
        : parseIdentityClaims(provider, claims),
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? null,
  };
}

/** Turns a provider's error, or a response that fails validation, into an AuthError. */
async function mapProviderErrors<T>(
  provider: ProviderSettings,
  log: Log,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof AuthError) throw error;
    if (error instanceof oauth.AuthorizationResponseError) {
      throw new AuthError(403, 'bad_oauth_callback', error.error_description ?? error.error);
    }
    log.warn('A provider sent an invalid response.', {
      provider: provider.name,
      reason: describeErrorForLog(error),
    });
    throw new AuthError(500, 'unexpected_failure', `Unable to sign in with ${provider.name}`);
  }
}
