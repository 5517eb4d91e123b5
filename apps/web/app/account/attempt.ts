import { catalogue, type ErrorCode } from '@vitrine/project';
import type { AuthError, SupabaseClient } from '@supabase/supabase-js';
import { useState } from 'react';
import { findAuthProblem, type AuthProblem } from '../session/auth-problem.ts';
import { useClient } from '../session/use-client.ts';

type Field = NonNullable<AuthProblem['field']>;

/** State and submission of a form that is sent to the auth server. */
export interface Attempt {
  readonly busy: boolean;
  /** Number of failed submissions. Each one moves the focus to the first invalid field. */
  readonly refusals: number;
  /** The error that belongs to no field. */
  readonly trouble: AuthProblem | undefined;
  /** The error message for a field, from the error catalog. */
  errorOf(field: Field): string | undefined;
  /**
   * Submits the form once. Shows the errors in `checks`, if any; otherwise runs `work`, which calls
   * the auth server, navigates on success and returns null, or returns the error to show.
   */
  send(
    checks: readonly (readonly [Field, ErrorCode | undefined])[],
    work: (
      auth: SupabaseClient['auth'],
      client: SupabaseClient,
    ) => Promise<AuthError | AuthProblem | null>,
  ): Promise<void>;
}

export function useAttempt(): Attempt {
  const client = useClient();
  const [busy, setBusy] = useState(false);
  const [errors, setErrors] = useState<readonly AuthProblem[]>([]);
  const [refusals, setRefusals] = useState(0);

  const showErrors = (shown: readonly AuthProblem[]) => {
    setErrors(shown);
    if (shown.length > 0) setRefusals((count) => count + 1);
  };
  return {
    busy,
    refusals,
    trouble: errors.find((error) => error.field === undefined),
    errorOf(field) {
      const error = errors.find((candidate) => candidate.field === field);
      return error && catalogue[error.code].sentence;
    },
    async send(checks, work) {
      const invalid = checks.flatMap(([field, code]) => (code ? [{ field, code }] : []));
      if (invalid.length > 0) return showErrors(invalid);
      setBusy(true);
      try {
        const supabase = await client();
        const error = await work(supabase.auth, supabase);
        if (error === null) showErrors([]);
        else showErrors([error instanceof Error ? findAuthProblem(error) : error]);
      } finally {
        setBusy(false);
      }
    },
  };
}

/** Rejects text that can't be an email address. The auth server validates the rest. */
export function findEmailProblem(email: string): ErrorCode | undefined {
  return /^[^\s@]+@[^\s@]+$/.test(email) ? undefined : 'email_invalid';
}
