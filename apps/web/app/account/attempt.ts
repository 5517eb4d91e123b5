import { catalogue, type ErrorCode } from '@vitrine/project';
import type { AuthError, SupabaseClient } from '@supabase/supabase-js';
import { useState } from 'react';
import { findAuthProblem, type AuthProblem } from '../session/auth-problem.ts';
import { useClient } from '../session/use-client.ts';

type Field = NonNullable<AuthProblem['field']>;

export interface Attempt {
  readonly busy: boolean;
  /** Grows with each refused attempt, so that focus goes to the first wrong field once. */
  readonly refusals: number;
  /** Trouble that belongs to no field. */
  readonly trouble: AuthProblem | undefined;
  /** The catalogue's sentence for a field, if that is what is wrong. */
  errorOf(field: Field): string | undefined;
  /**
   * One attempt: with nothing wrong in `checks`, runs `work`, which asks the auth server, goes on
   * when it agrees, and returns its refusal, or what is to be said of it.
   */
  send(
    checks: readonly (readonly [Field, ErrorCode | undefined])[],
    work: (
      auth: SupabaseClient['auth'],
      client: SupabaseClient,
    ) => Promise<AuthError | AuthProblem | null>,
  ): Promise<void>;
}

/** The state of a form that is sent to the auth server. */
export function useAttempt(): Attempt {
  const client = useClient();
  const [busy, setBusy] = useState(false);
  const [problems, setProblems] = useState<readonly AuthProblem[]>([]);
  const [refusals, setRefusals] = useState(0);

  const refuse = (found: readonly AuthProblem[]) => {
    setProblems(found);
    if (found.length > 0) setRefusals((count) => count + 1);
  };
  return {
    busy,
    refusals,
    trouble: problems.find((problem) => problem.field === undefined),
    errorOf(field) {
      const problem = problems.find((candidate) => candidate.field === field);
      return problem && catalogue[problem.code].sentence;
    },
    async send(checks, work) {
      const wrong = checks.flatMap(([field, code]) => (code ? [{ field, code }] : []));
      if (wrong.length > 0) return refuse(wrong);
      setBusy(true);
      try {
        const supabase = await client();
        const error = await work(supabase.auth, supabase);
        if (error === null) refuse([]);
        else refuse([error instanceof Error ? findAuthProblem(error) : error]);
      } finally {
        setBusy(false);
      }
    },
  };
}

/** What is plainly no e-mail address; the backend decides about the rest. */
export function findEmailProblem(email: string): ErrorCode | undefined {
  return /^[^\s@]+@[^\s@]+$/.test(email) ? undefined : 'email_invalid';
}
