import { AuthError } from './auth-error.ts';
import type { AuthContext, Transaction } from './context.ts';
import type { SessionUser } from './session-user.ts';
import { assertRecentAuthentication } from './reauthentication.ts';
import { findUserByEmail, updateProviderList } from './users.ts';
import type { UserRow } from './users.ts';

export function assertManualLinkingEnabled(ctx: AuthContext): void {
  if (ctx.settings.isManualLinkingEnabled) return;
  throw new AuthError(404, 'manual_linking_disabled', 'Manual linking is disabled');
}

interface LinkedIdentity {
  id: string;
  provider: string;
  email: string | null;
  is_verified: boolean;
}

/** DELETE /user/identities/:id. The last sign-in method cannot be unlinked. */
export async function unlinkIdentity(ctx: AuthContext, sessionUser: SessionUser, id: string) {
  assertManualLinkingEnabled(ctx);
  assertRecentAuthentication(sessionUser);
  const { user } = sessionUser;
  await ctx.sql.begin(async (tx) => {
    await tx`select id from auth.users where id = ${user.id} for update`;
    const identities = await tx<LinkedIdentity[]>`
      select id, provider, email,
        coalesce((identity_data ->> 'email_verified')::boolean, false) as is_verified
      from auth.identities where user_id = ${user.id} order by created_at`;
    if (identities.length <= 1) {
      throw new AuthError(
        422,
        'single_identity_not_deletable',
        'User must have at least 1 identity after unlinking',
      );
    }
    const removed = identities.find((identity) => identity.id === id);
    if (removed === undefined) {
      throw new AuthError(422, 'identity_not_found', "Identity doesn't exist");
    }
    await tx`delete from auth.identities where id = ${removed.id}`;
    // Without the email identity, email and password no longer sign in.
    if (removed.provider === 'email') {
      await tx`update auth.users set encrypted_password = null where id = ${user.id}`;
    }
    await ensureLinkedEmail(
      tx,
      user,
      identities.filter((identity) => identity.id !== id),
    );
    await updateProviderList(tx, user.id);
  });
}

/** Ensures that the account's email is one of a remaining identity. */
async function ensureLinkedEmail(
  tx: Transaction,
  user: UserRow,
  rest: LinkedIdentity[],
): Promise<void> {
  if (rest.some(({ email }) => email === user.email)) return;
  const next = rest.find(({ email, is_verified: isVerified }) => email !== null && isVerified);
  if (next?.email == null) return;
  if ((await findUserByEmail(tx, next.email)) !== undefined) {
    throw new AuthError(
      422,
      'email_conflict_identity_not_deletable',
      'Unable to unlink identity due to email conflict',
    );
  }
  await tx`
    update auth.users set email = ${next.email}, updated_at = now(),
      raw_app_meta_data = raw_app_meta_data || ${tx.json({ verified_email: next.email })}
    where id = ${user.id}`;
  // Links mailed to the previous address no longer open the account.
  await tx`delete from auth.one_time_tokens where user_id = ${user.id}`;
}
