import { isRecord } from '@vitrine/project';
import type { AuthorizationServer } from 'oauth4webapi';
import { protectedResourceRequest } from 'oauth4webapi';
import { parseIdentityClaims } from './external-identity.ts';
import type { ExternalIdentity } from './external-identity.ts';
import type { ProviderSettings } from './provider-settings.ts';
import { createProviderRequestOptions } from './provider-requests.ts';

/**
 * GitHub has no discovery document: these are its endpoints, on github.com or GitHub Enterprise
 * Server.
 */
export function createGithubServer({ url }: ProviderSettings): AuthorizationServer {
  return {
    issuer: `${url}/login/oauth`,
    authorization_endpoint: `${url}/login/oauth/authorize`,
    token_endpoint: `${url}/login/oauth/access_token`,
  };
}

/**
 * Requests the user of the token from GitHub's API, with the primary email and whether GitHub has
 * verified it.
 */
export async function fetchGithubIdentity(
  provider: ProviderSettings,
  token: string,
): Promise<ExternalIdentity> {
  const user = await requestGithub(provider, token, '/user');
  const emails = await requestGithub(provider, token, '/user/emails');
  if (!isRecord(user) || !Array.isArray(emails))
    throw new Error('GitHub sent an invalid response.');
  const primary = emails.filter(isRecord).find((one) => one['primary'] === true);
  return parseIdentityClaims(provider, {
    sub: typeof user['id'] === 'number' ? String(user['id']) : undefined,
    name: user['name'],
    preferred_username: user['login'],
    picture: user['avatar_url'],
    email: primary?.['email'],
    email_verified: primary?.['verified'],
  });
}

async function requestGithub(
  provider: ProviderSettings,
  token: string,
  path: string,
): Promise<unknown> {
  const { url } = provider;
  const api = url === 'https://github.com' ? 'https://api.github.com' : `${url}/api/v3`;
  const response = await protectedResourceRequest(
    token,
    'GET',
    new URL(`${api}${path}`),
    new Headers({ accept: 'application/vnd.github+json', 'user-agent': 'Vitrine' }),
    null,
    createProviderRequestOptions(provider),
  );
  if (!response.ok) throw new Error(`GitHub responded with ${response.status}.`);
  return response.json();
}
