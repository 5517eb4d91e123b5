import type { User } from '@supabase/supabase-js';
import type { RequestContext } from '../request-context.ts';
import { routeError } from '../ui/route-error.ts';
import type {
  AccountDetails,
  Authenticator,
  Claimant,
  Identity,
  SignInMethods,
} from './account-details.ts';

/** The account of the session, as the auth server knows it now. */
export async function readAccount({ supabase }: RequestContext): Promise<AccountDetails> {
  const user = await getUser(supabase);
  return {
    isEmailVerified: user.app_metadata['verified_email'] === user.email,
    pendingEmail: findPendingEmail(user),
    identities: listIdentities(user),
    authenticators: listAuthenticators(user),
  };
}

/** What the user of the session can authenticate again with. */
export function findSignInMethods(account: AccountDetails): SignInMethods {
  return {
    hasPassword: account.identities.some(({ provider }) => provider === 'email'),
    authenticators: account.authenticators,
  };
}

/** Who has signed in and still has to show a second factor; null for everybody else. */
export async function findClaimant(about: RequestContext): Promise<Claimant | null> {
  if (!about.claimant) return null;
  const user = await getUser(about.supabase);
  return { email: about.claimant.email, authenticators: listAuthenticators(user) };
}

/** Throws a route error where the session was ended, and where nobody answers. */
async function getUser(supabase: RequestContext['supabase']): Promise<User> {
  const { data, error } = await supabase.auth.getUser();
  if (data.user) return data.user;
  const isOver = error?.status === 403 || error?.name === 'AuthSessionMissingError';
  throw routeError(isOver ? 'session_expired' : 'backend_unreachable');
}

/** As long as what was mailed works. */
const mailLifetimeMs = 3_600_000;

function findPendingEmail({
  new_email: wanted,
  email_change_sent_at: sentAt,
}: User): string | null {
  const isOpen = sentAt !== undefined && Date.now() - Date.parse(sentAt) < mailLifetimeMs;
  return isOpen ? (wanted ?? null) : null;
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
