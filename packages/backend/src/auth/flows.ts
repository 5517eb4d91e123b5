/**
 * The authorization code exchange (PKCE, RFC 7636). The browser keeps a verifier and sends its
 * hash, the challenge, when it requests a mail: this creates a flow. The mailed link leads back
 * with a code that only the verifier can exchange for a session: once, within five minutes of the
 * click.
 */
import { createHash } from 'node:crypto';
import type { Sql } from 'postgres';
import { AuthError, createValidationError } from './auth-error.ts';
import type { Transaction } from './context.ts';
import { isUuid } from './input.ts';
import type { PkceChallenge } from './input.ts';
import { hashSecret, timingSafeEqualText, generateSecret } from './secret-text.ts';

/** How the user authenticates in the flow; becomes the method in `amr`. */
export type FlowPurpose =
  'email/signup' | 'invite' | 'recovery' | 'magiclink' | 'email_change' | 'oauth';

export interface AuthFlow {
  id: string;
  userId: string;
  purpose: FlowPurpose;
  /** Tokens from the provider, and the identity when the flow links one. Null for flows by mail. */
  provider: { accessToken: string | null; refreshToken: string | null; identity: unknown };
}

const codeLifetimeSeconds = 300;

export async function createFlow(
  tx: Transaction,
  userId: string,
  purpose: FlowPurpose,
  { challenge, method }: PkceChallenge,
): Promise<string> {
  const id = crypto.randomUUID();
  await tx`
    insert into auth.flow_state (id, user_id, auth_code, code_challenge_method, code_challenge,
      provider_type, authentication_method, created_at, updated_at)
    values (${id}, ${userId}, ${hashSecret(generateSecret())}, ${method}, ${challenge}, 'email',
      ${purpose}, now(), now())`;
  return id;
}

/**
 * Creates a flow that starts at a provider. Its user is only known after the callback, except when
 * linking.
 */
export async function createProviderFlow(
  sql: Sql,
  { challenge, method }: PkceChallenge,
  options: {
    provider: string;
    verifier: string;
    nonce: string;
    redirectTo: URL;
    linksTo: string | null;
  },
): Promise<string> {
  const id = crypto.randomUUID();
  await sql`
    insert into auth.flow_state (id, auth_code, code_challenge_method, code_challenge,
      provider_type, authentication_method, provider_verifier, provider_nonce, referrer,
      linking_target_id, created_at, updated_at)
    values (${id}, ${hashSecret(generateSecret())}, ${method}, ${challenge}, ${options.provider}, 'oauth',
      ${options.verifier}, ${options.nonce}, ${options.redirectTo.href}, ${options.linksTo}, now(), now())`;
  return id;
}

export interface ProviderFlow {
  id: string;
  provider: string;
  verifier: string;
  nonce: string;
  referrer: string;
  linksTo: string | null;
}

/** Finds the flow of an OAuth `state` and consumes it: once, within ten minutes of the redirect. */
export async function consumeProviderFlow(
  sql: Sql,
  state: string,
): Promise<ProviderFlow | undefined> {
  if (!isUuid(state)) return undefined;
  const [flow] = await sql<ProviderFlow[]>`
    update auth.flow_state as flow set provider_verifier = null, updated_at = now()
    from auth.flow_state as before
    where flow.id = before.id and flow.id = ${state}
      and flow.provider_verifier is not null and flow.created_at > now() - interval '10 minutes'
    returning flow.id, flow.provider_type as provider, before.provider_verifier as verifier,
      flow.provider_nonce as nonce, flow.referrer, flow.linking_target_id as "linksTo"`;
  return flow;
}

/** Issues the code for the redirect to the app. Replaces an earlier code of the same flow. */
export async function issueAuthCode(tx: Transaction, flowId: string): Promise<string> {
  const code = crypto.randomUUID();
  await tx`
    update auth.flow_state
    set auth_code = ${hashSecret(code)}, auth_code_issued_at = now(), updated_at = now()
    where id = ${flowId}`;
  return code;
}

/**
 * Finds the flow of a code and checks it against `verifier`. The caller deletes it with
 * `deleteFlow` in the same transaction. The user's row is locked, so that of two concurrent
 * requests only one succeeds.
 */
export async function findFlowByCode(
  tx: Transaction,
  code: unknown,
  verifier: unknown,
): Promise<AuthFlow> {
  if (typeof code !== 'string' || code === '' || typeof verifier !== 'string' || verifier === '') {
    throw createValidationError(
      'invalid request: both auth code and code verifier should be non-empty',
    );
  }
  const hash = hashSecret(code);
  await tx`
    select id from auth.users
    where id in (select user_id from auth.flow_state where auth_code = ${hash}) for update`;
  const [flow] = await tx<FlowRow[]>`
    select id, user_id, authentication_method, code_challenge, code_challenge_method,
      auth_code_issued_at > now() - make_interval(secs => ${codeLifetimeSeconds}) as is_fresh,
      provider_access_token, provider_refresh_token, provider_identity
    from auth.flow_state
    where auth_code = ${hash} and auth_code_issued_at is not null`;
  if (flow === undefined || flow.user_id === null) {
    throw new AuthError(
      400,
      'flow_state_not_found',
      'invalid flow state, no valid flow state found',
    );
  }
  if (!flow.is_fresh) {
    throw new AuthError(400, 'flow_state_expired', 'invalid flow state, flow state has expired');
  }
  if (
    !timingSafeEqualText(
      computeChallenge(verifier, flow.code_challenge_method),
      flow.code_challenge,
    )
  ) {
    throw new AuthError(
      400,
      'bad_code_verifier',
      'code challenge does not match previously saved code verifier',
    );
  }
  return {
    id: flow.id,
    userId: flow.user_id,
    purpose: flow.authentication_method,
    provider: {
      accessToken: flow.provider_access_token,
      refreshToken: flow.provider_refresh_token,
      identity: flow.provider_identity,
    },
  };
}

/** Deletes the flow. The mailed link of the flow is deleted by the foreign key. */
export async function deleteFlow(tx: Transaction, id: string): Promise<void> {
  await tx`delete from auth.flow_state where id = ${id}`;
}

interface FlowRow {
  id: string;
  user_id: string | null;
  authentication_method: FlowPurpose;
  code_challenge: string;
  code_challenge_method: PkceChallenge['method'];
  is_fresh: boolean;
  provider_access_token: string | null;
  provider_refresh_token: string | null;
  provider_identity: unknown;
}

function computeChallenge(verifier: string, method: PkceChallenge['method']): string {
  if (method === 'plain') return verifier;
  return createHash('sha256').update(verifier).digest('base64url');
}
