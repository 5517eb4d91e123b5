import type { AuthError, SupabaseClient } from '@supabase/supabase-js';
import type { AuthProblem } from '../session/auth-problem.ts';

/** What somebody gives to show anew that it is they. */
export type Given =
  | { readonly kind: 'password'; readonly email: string; readonly password: string }
  | { readonly kind: 'mailed code'; readonly email: string; readonly code: string }
  | { readonly kind: 'authenticator'; readonly factorId: string; readonly code: string };

/**
 * Signs in anew, so that the next token says when that was: unlike the auth server, which takes proof
 * along with a change, a function sees the token alone. Gives the refusal.
 */
export async function prove(
  auth: SupabaseClient['auth'],
  given: Given,
): Promise<AuthError | AuthProblem | null> {
  const { error } = await show(auth, given);
  return error?.code === 'invalid_credentials'
    ? { code: 'current_password_wrong', field: 'current' }
    : error;
}

function show(
  auth: SupabaseClient['auth'],
  given: Given,
): Promise<{ readonly error: AuthError | null }> {
  switch (given.kind) {
    case 'password':
      return auth.signInWithPassword({ email: given.email, password: given.password });
    case 'mailed code':
      return auth.verifyOtp({ email: given.email, token: given.code, type: 'email' });
    case 'authenticator':
      return auth.mfa.challengeAndVerify({ factorId: given.factorId, code: given.code });
  }
}
