/**
 * External sign-in: OpenID providers, found by discovery, and GitHub, which is not one. Every
 * request uses PKCE (RFC 7636) and a nonce, and tokens are only accepted from the issuer in the
 * settings.
 */
import { createRemoteJWKSet } from 'jose';
import type { JWTVerifyGetKey } from 'jose';
import * as oauth from 'oauth4webapi';
import { describeReason } from '../log.ts';
import type { Log } from '../log.ts';
import { AuthError, invalid } from './auth-error.ts';
import { readClaims } from './external-identity.ts';
import type { ExternalIdentity } from './external-identity.ts';
import { describeGithub, identifyAtGithub } from './github.ts';
import { requestOptions } from './provider-requests.ts';
import type { ProviderSettings } from './provider-settings.ts';

/** State of an authorization request between the redirect to the provider and the callback. */
export interface Trip {
  state: string;
  verifier: string;
  nonce: string;
  redirectUri: string;
}

export interface Arrival {
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
  leave(provider: ProviderSettings, trip: Trip, scopes: string[]): Promise<URL>;
  /** Exchanges the callback's query for the user's identity and tokens. */
  arrive(provider: ProviderSettings, trip: Trip, query: URLSearchParams): Promise<Arrival>;
}

const keptMs = 3_600_000;

export function createProviders(list: readonly ProviderSettings[], log: Log): Providers {
  const byName = new Map(list.map((provider) => [provider.name, provider]));
  /** Discovery documents by provider name, for an hour. Failures are not cached. */
  const known = new Map<string, Known>();
  const discover = async (provider: ProviderSettings): Promise<Known> => {
    const kept = known.get(provider.name);
    if (kept !== undefined && Date.now() - kept.at < keptMs) return kept;
    const server = await describeServer(provider, log);
    const found = { server, keys: keysOf(server), at: Date.now() };
    known.set(provider.name, found);
    return found;
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
        throw invalid('Unsupported provider: provider is not enabled');
      }
      return provider;
    },
    async leave(provider, trip, scopes) {
      const { server } = await discover(provider);
      const url = new URL(server.authorization_endpoint ?? '');
      const asked = new Set([...ownScopes(provider), ...scopes]);
      const parameters = {
        client_id: clientOf(provider).client_id,
        redirect_uri: trip.redirectUri,
        response_type: 'code',
        scope: [...asked].join(' '),
        state: trip.state,
        code_challenge: await oauth.calculatePKCECodeChallenge(trip.verifier),
        code_challenge_method: 'S256',
        ...(isGithub(provider) ? {} : { nonce: trip.nonce }),
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url;
    },
    async arrive(provider, trip, query) {
      const { server } = await discover(provider);
      return asAnswers(provider, log, () => exchange(provider, server, trip, query));
    },
  };
}

interface Known {
  server: oauth.AuthorizationServer;
  keys: JWTVerifyGetKey;
  at: number;
}

function keysOf({ jwks_uri: address }: oauth.AuthorizationServer): JWTVerifyGetKey {
  if (address !== undefined) return createRemoteJWKSet(new URL(address));
  return () => {
    throw new Error('The provider publishes no keys.');
  };
}

function isGithub({ name }: ProviderSettings): boolean {
  return name === 'github';
}

async function describeServer(
  provider: ProviderSettings,
  log: Log,
): Promise<oauth.AuthorizationServer> {
  if (isGithub(provider)) return describeGithub(provider);
  const issuer = new URL(provider.url);
  return asAnswers(provider, log, async () => {
    const answer = await oauth.discoveryRequest(issuer, requestOptions(provider));
    return oauth.processDiscoveryResponse(issuer, answer);
  });
}

function clientOf(provider: ProviderSettings): oauth.Client {
  return { client_id: provider.clientIds[0] ?? '' };
}

function ownScopes(provider: ProviderSettings): string[] {
  return isGithub(provider) ? ['read:user', 'user:email'] : ['openid', 'email', 'profile'];
}

async function exchange(
  provider: ProviderSettings,
  server: oauth.AuthorizationServer,
  trip: Trip,
  query: URLSearchParams,
): Promise<Arrival> {
  const client = clientOf(provider);
  const options = requestOptions(provider);
  const parameters = oauth.validateAuthResponse(server, client, query, trip.state);
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.ClientSecretPost(provider.clientSecret),
    parameters,
    trip.redirectUri,
    trip.verifier,
    options,
  );
  const isOpenId = !isGithub(provider);
  const tokens = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    answer,
    isOpenId ? { expectedNonce: trip.nonce, requireIdToken: true } : {},
  );
  if (isOpenId) await oauth.validateApplicationLevelSignature(server, answer, options);
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  return {
    identity:
      claims === undefined
        ? await identifyAtGithub(provider, tokens.access_token)
        : readClaims(provider, claims),
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? null,
  };
}

/** Turns a provider's error, or a response that fails validation, into an AuthError. */
async function asAnswers<T>(
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
      reason: describeReason(error),
    });
    throw new AuthError(500, 'unexpected_failure', `Unable to sign in with ${provider.name}`);
  }
}
