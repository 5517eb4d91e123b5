import { AuthError } from './auth-error.ts';
import type { AuthContext, Caller } from './context.ts';
import { isEmpty } from './input.ts';
import type { Body } from './input.ts';
import { endLinks, findByCode } from './links.ts';
import { verifyPassword } from './passwords.ts';
import type { Person } from './person.ts';

/** A stolen token of an old session is not enough to take the account over. */
export async function requireRecent(
  ctx: AuthContext,
  person: Person,
  body: Body,
  caller: Caller,
): Promise<void> {
  const { current_password: current, nonce } = body;
  if (!isEmpty(nonce)) return requireNonce(ctx, person, nonce, caller);
  if (isEmpty(current)) {
    // An anonymous account has nothing to be asked for.
    if (person.isRecent || person.user.is_anonymous) return;
    throw new AuthError(
      400,
      'reauthentication_needed',
      'Sign in again, or send current_password, to change this',
    );
  }
  const { wrongPassword } = ctx.limits;
  const key = `${person.user.email} ${caller.address}`;
  wrongPassword.take(key);
  const matches =
    typeof current === 'string' && (await verifyPassword(current, person.user.encrypted_password));
  if (!matches) throw new AuthError(400, 'invalid_credentials', 'Current password is wrong');
  wrongPassword.giveBack(key);
}

/** The code that GET /reauthenticate mailed. */
async function requireNonce(
  ctx: AuthContext,
  { user }: Person,
  nonce: unknown,
  caller: Caller,
): Promise<void> {
  ctx.limits.wrongLinkFromAddress.take(caller.address);
  const found = await ctx.sql.begin(async (tx) => {
    const link = await findByCode(
      ctx,
      tx,
      user.email ?? '',
      typeof nonce === 'string' ? nonce : '',
      ['reauthentication_token'],
    );
    if (link?.userId !== user.id) return false;
    await endLinks(tx, link);
    return true;
  });
  if (!found) {
    throw new AuthError(422, 'reauthentication_not_valid', 'Nonce has expired or is invalid');
  }
  ctx.limits.wrongLinkFromAddress.giveBack(caller.address);
}
