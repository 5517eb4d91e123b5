/** Maps an identity from an external provider to a local account. */
import { AuthError } from '../auth-error.ts';
import type { AuthContext, Transaction } from '../context.ts';
import type { ExternalIdentity } from './external-identity.ts';
import { transferToMailboxOwner } from '../mailbox-verification.ts';
import { assertSignUpEnabled, claimEmail } from '../sign-up.ts';
import {
  confirmEmail,
  findUser,
  findUserByEmail,
  insertIdentity,
  insertUser,
  updateProviderList,
  assertNotBanned,
  requireUser,
  toJsonParameter,
} from '../users.ts';
import type { UserRow } from '../users.ts';

/**
 * Returns the account for an identity: the one it is linked to, the one whose email the provider
 * has verified, or a new one. An unconfirmed account is deleted; one with an unverified mailbox is
 * transferred to the owner of the mailbox (AU-17).
 */
export async function findOrCreateUserByIdentity(
  ctx: AuthContext,
  tx: Transaction,
  identity: ExternalIdentity,
): Promise<UserRow> {
  const { provider, subject, email, isEmailVerified } = identity;
  await tx`select pg_advisory_xact_lock(hashtext(${`${provider} ${subject}`}))`;
  const owner = await findUserIdByIdentity(tx, identity);
  if (owner !== undefined) return updateReturningUser(tx, owner, identity);
  if (email === undefined) {
    throw new AuthError(
      422,
      'validation_failed',
      'Error getting user email from external provider',
    );
  }
  if (!isEmailVerified) {
    throw new AuthError(
      422,
      'provider_email_needs_verification',
      `Unverified email with ${provider}. Verify the email with ${provider} in order to sign in`,
    );
  }
  const isFree = await claimEmail(tx, email);
  if (!isFree) {
    const user = requireUser(await findUserByEmail(tx, email));
    assertNotBanned(user);
    await transferToMailboxOwner(tx, user.id);
    await confirmEmail(tx, user.id);
    await insertIdentity(tx, {
      userId: user.id,
      provider,
      providerId: subject,
      data: identity.data,
    });
    await updateProviderList(tx, user.id);
    return requireUser(await findUser(tx, user.id));
  }
  assertSignUpEnabled(ctx);
  return createUserFromIdentity(tx, identity, email);
}

async function createUserFromIdentity(
  tx: Transaction,
  identity: ExternalIdentity,
  email: string,
): Promise<UserRow> {
  const id = crypto.randomUUID();
  const { provider, subject, data } = identity;
  await insertUser(tx, {
    id,
    email,
    passwordHash: null,
    data,
    app: { provider, providers: [provider], verified_email: email },
    isConfirmed: true,
    isAnonymous: false,
  });
  await insertIdentity(tx, { userId: id, provider, providerId: subject, data });
  return requireUser(await findUser(tx, id));
}

async function findUserIdByIdentity(
  tx: Transaction,
  { provider, subject }: ExternalIdentity,
): Promise<string | undefined> {
  const [row] = await tx<{ user_id: string }[]>`
    select user_id from auth.identities where provider = ${provider} and provider_id = ${subject}`;
  return row?.user_id;
}

async function updateReturningUser(
  tx: Transaction,
  userId: string,
  { provider, subject, email, isEmailVerified, data }: ExternalIdentity,
): Promise<UserRow> {
  const user = requireUser(await findUser(tx, userId));
  assertNotBanned(user);
  await tx`
    update auth.identities
    set identity_data = ${tx.json(toJsonParameter(data))}, last_sign_in_at = now(), updated_at = now()
    where provider = ${provider} and provider_id = ${subject}`;
  if (!isEmailVerified || email !== user.email) return user;
  await transferToMailboxOwner(tx, user.id);
  await confirmEmail(tx, user.id);
  return requireUser(await findUser(tx, user.id));
}

/** Throws `identity_already_exists` when the identity is already linked. */
export async function assertIdentityNotLinked(
  tx: Transaction,
  userId: string,
  identity: ExternalIdentity,
): Promise<void> {
  const owner = await findUserIdByIdentity(tx, identity);
  if (owner === undefined) return;
  throw new AuthError(
    422,
    'identity_already_exists',
    owner === userId ? 'Identity is already linked' : 'Identity is already linked to another user',
  );
}

/** Links the identity to an account. A verified email makes an anonymous account permanent. */
export async function linkIdentity(
  tx: Transaction,
  user: UserRow,
  identity: ExternalIdentity,
): Promise<void> {
  const { provider, subject, email, isEmailVerified, data } = identity;
  await tx`select pg_advisory_xact_lock(hashtext(${`${provider} ${subject}`}))`;
  await assertIdentityNotLinked(tx, user.id, identity);
  if (user.email === null && email !== undefined && isEmailVerified) {
    if (!(await claimEmail(tx, email))) {
      throw new AuthError(
        422,
        'email_exists',
        'A user with this email address has already been registered',
      );
    }
    await tx`update auth.users set email = ${email}, updated_at = now() where id = ${user.id}`;
    await confirmEmail(tx, user.id);
  }
  await insertIdentity(tx, { userId: user.id, provider, providerId: subject, data });
  await updateProviderList(tx, user.id);
}
