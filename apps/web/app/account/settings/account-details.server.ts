import type { User } from '@supabase/supabase-js';
import type { RequestContext } from '../../request-context.ts';
import { routeError } from '../../ui/page/route-error.ts';
import type {
  AccountDetails,
  Authenticator,
  PendingMfaUser,
  Identity,
  SignInMethods,
} from './account-details.ts';

/** Loads the signed-in user's account from the auth server. Throws a route error. */
export async function getAccount({ supabase }: RequestContext): Promise<AccountDetails> {
  const user = await getUser(supabase);
  return {
    isEmailVerified: user.app_metadata['verified_email'] === user.email,
    pendingEmail: findPendingEmail(user),
    identities: listIdentities(user),
    authenticators: listAuthenticators(user),
  };
}

/** Lists the credentials with which the user can re-authenticate. */
export function getSignInMethods(account: AccountDetails): SignInMethods {
  return {
    hasPassword: account.identities.some(({ provider }) => provider === 'email'),
    authenticators: account.authenticators,
  };
}

/** The user who has signed in but not entered their MFA code yet, or null. */
export async function findPendingMfaUser(context: RequestContext): Promise<PendingMfaUser | null> {
  if (!context.pendingMfaClaims) return null;
  const user = await getUser(context.supabase);
  return { email: context.pendingMfaClaims.email, authenticators: listAuthenticators(user) };
}

/** Throws a route error when the session has ended or the auth server is unreachable. */
async function getUser(supabase: RequestContext['supabase']): Promise<User> {
  const { data, error } = await supabase.auth.getUser();
  if (data.user) return data.user;
  const isOver = error?.status === 403 || error?.name === 'AuthSessionMissingError';
  throw routeError(isOver ? 'session_expired' : 'backend_unreachable');
}

/** Lifetime of the links and codes in emails. */
const mailLifetimeMs = 3_600_000;

function findPendingEmail({
  new_email: newEmail,
  email_change_sent_at: sentAt,
}: User): string | null {
  const isOpen = sentAt !== undefined && Date.now() - Date.parse(sentAt) < mailLifetimeMs;
  return isOpen ? (newEmail ?? null) : null;
}

function listIdentities({ identities = [] }: User): Identity[] {
  return identities.map(({ identity_id: id, provider, identity_data: data }) => {
    const email: unknown = data?.['email'];
    return { id, provider, email: typeof email === 'string' ? email : null };
  });
}

function listAuthenticators({ factors = [] }: User): Authenticator[] {
  return factors
    .filter((factor) => factor.status === 'verified' && factor.factor_type === 'totp')
    .map((factor) => ({
      id: factor.id,
      name: factor.friendly_name ?? 'Authenticator',
      addedAt: factor.created_at,
    }));
}
