import type { AuthError, SupabaseClient } from '@supabase/supabase-js';
import type { ErrorCode } from '@vitrine/project';
import { useEffect, useState } from 'react';
import { findAuthProblem } from '../session/auth-problem.ts';
import { useClient } from '../session/use-client.ts';

/** How somebody who is signed in shows anew that it is they. */
export type ProofKind = 'password' | 'mailed code' | 'authenticator';

/** A password, or the authenticator's code for who has one; the mailed code is asked for. */
export function useProofKind(): [ProofKind, (kind: ProofKind) => void] {
  const client = useClient();
  const [kind, setKind] = useState<ProofKind>('password');
  useEffect(() => {
    let isShown = true;
    const look = async () => {
      const factor = await findFactor(await client());
      if (factor !== undefined && isShown) setKind('authenticator');
    };
    void look();
    return () => {
      isShown = false;
    };
  }, [client]);
  return [kind, setKind];
}

/** Sends a code to the person's own mailbox; gives what went wrong. */
export async function mailCode(
  { auth }: SupabaseClient,
  email: string,
): Promise<ErrorCode | undefined> {
  const { error } = await auth.signInWithOtp({ email, options: { shouldCreateUser: false } });
  return error ? findAuthProblem(error).code : undefined;
}

/** Shows it to the auth server, whose next token says when that was; gives what was wrong. */
export async function prove(
  client: SupabaseClient,
  given: { kind: ProofKind; email: string; proof: string },
): Promise<ErrorCode | undefined> {
  const error = await show(client, given);
  if (!error) return undefined;
  if (![400, 403, 422].includes(error.status ?? 0)) return findAuthProblem(error).code;
  return given.kind === 'password' ? 'current_password_wrong' : 'code_wrong';
}

async function show(
  client: SupabaseClient,
  { kind, email, proof }: { kind: ProofKind; email: string; proof: string },
): Promise<AuthError | null> {
  const { auth } = client;
  if (kind === 'password') return (await auth.signInWithPassword({ email, password: proof })).error;
  if (kind === 'mailed code') {
    return (await auth.verifyOtp({ email, token: proof, type: 'email' })).error;
  }
  const factorId = await findFactor(client);
  if (factorId === undefined) throw new Error('the authenticator is gone');
  return (await auth.mfa.challengeAndVerify({ factorId, code: proof })).error;
}

async function findFactor({ auth }: SupabaseClient): Promise<string | undefined> {
  const { data } = await auth.mfa.listFactors();
  return data?.totp[0]?.id;
}
