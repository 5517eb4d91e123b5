import { generateRandomCodeVerifier, generateRandomNonce } from 'oauth4webapi';
import { AuthError } from '../auth-error.ts';
import type { AuthContext, ClientInfo } from '../context.ts';
import { findOrCreateUserByIdentity, assertIdentityNotLinked } from './external-accounts.ts';
import { consumeProviderFlow, createProviderFlow, issueAuthCode } from '../flows.ts';
import type { ProviderFlow } from '../flows.ts';
import { requirePkceChallenge } from '../input.ts';
import type { AuthorizationResult } from './providers.ts';
import { findUser, requireUser, toJsonParameter } from '../users.ts';

/**
 * GET /authorize, and GET /user/identities/authorize when linking: returns the provider's
 * authorization URL.
 */
export async function startProviderSignIn(
  ctx: AuthContext,
  query: URLSearchParams,
  clientInfo: ClientInfo,
  linksTo: string | null,
): Promise<URL> {
  const provider = ctx.providers.get(query.get('provider'));
  const challenge = requirePkceChallenge(Object.fromEntries(query));
  ctx.limits.providerFromAddress.consume(clientInfo.rateLimitKey);
  const authorization = { verifier: generateRandomCodeVerifier(), nonce: generateRandomNonce() };
  const state = await createProviderFlow(ctx.sql, challenge, {
    ...authorization,
    provider: provider.name,
    redirectTo: ctx.redirects.choose(query.get('redirect_to')),
    linksTo,
  });
  const scopes = (query.get('scopes') ?? '')
    .split(/[\s,]+/)
    .filter((scope) => /^[\w.:/-]+$/.test(scope));
  return ctx.providers.createAuthorizationUrl(
    provider,
    { ...authorization, state, redirectUri: createRedirectUri(ctx) },
    scopes.slice(0, 20),
  );
}

/**
 * GET /callback: redirects from the provider to the app with a code, which the browser that started
 * the flow exchanges. Errors are sent in the URL, as GoTrue does.
 */
export async function handleProviderCallback(
  ctx: AuthContext,
  query: URLSearchParams,
): Promise<URL> {
  const flow = await consumeProviderFlow(ctx.sql, query.get('state') ?? '');
  const target = ctx.redirects.choose(flow?.referrer);
  try {
    if (flow === undefined) {
      throw new AuthError(400, 'bad_oauth_state', 'OAuth state not found or expired');
    }
    target.searchParams.set('code', await completeProviderSignIn(ctx, flow, query));
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    target.searchParams.set('error', error.status >= 500 ? 'server_error' : 'access_denied');
    target.searchParams.set('error_code', error.code);
    target.searchParams.set('error_description', error.message);
  }
  return target;
}

async function completeProviderSignIn(
  ctx: AuthContext,
  flow: ProviderFlow,
  query: URLSearchParams,
) {
  const provider = ctx.providers.get(flow.provider);
  const { verifier, nonce, id: state } = flow;
  const authorization = { verifier, nonce, state, redirectUri: createRedirectUri(ctx) };
  const result = await ctx.providers.exchangeCode(provider, authorization, query);
  return ctx.sql.begin(async (tx) => {
    const { accessToken, refreshToken } = result;
    const user =
      flow.linksTo === null
        ? await findOrCreateUserByIdentity(ctx, tx, result.identity)
        : requireUser(await findUser(tx, flow.linksTo));
    if (flow.linksTo !== null) await assertIdentityNotLinked(tx, user.id, result.identity);
    const storedIdentity =
      flow.linksTo === null ? null : tx.json(toJsonParameter(identityToJson(result)));
    await tx`
      update auth.flow_state set user_id = ${user.id}, provider_access_token = ${accessToken},
        provider_refresh_token = ${refreshToken}, provider_identity = ${storedIdentity}
      where id = ${flow.id}`;
    return issueAuthCode(tx, flow.id);
  });
}

/**
 * The identity to link is stored until the browser that started the flow exchanges the code:
 * someone lured to the provider with an attacker's URL would otherwise link their identity to the
 * attacker's account.
 */
function identityToJson({ identity }: AuthorizationResult): Record<string, unknown> {
  return { ...identity };
}

function createRedirectUri({ publicOrigin }: AuthContext): string {
  return `${publicOrigin}/auth/v1/callback`;
}
