import { errorCatalog, type ErrorCode } from '@vitrine/project';
import type { AuthError, SupabaseClient } from '@supabase/supabase-js';
import { useState } from 'react';
import { toAuthFailure, type AuthFailure } from '../session/auth-failure.ts';
import { useClient } from '../session/use-client.ts';

type Field = NonNullable<AuthFailure['field']>;

/** State and submission of a form that is sent to the auth server. */
export interface AuthFormState {
  readonly busy: boolean;
  /** Number of failed submissions. Each one moves the focus to the first invalid field. */
  readonly failureCount: number;
  /** The error that belongs to no field. */
  readonly formError: AuthFailure | undefined;
  /** The error message for a field, from the error catalog. */
  getFieldError(field: Field): string | undefined;
  /**
   * Submits the form once. Shows the errors in `fieldErrors`, if any. Otherwise runs `work`, which calls
   * the auth server, navigates on success and returns null, or returns the error to show.
   */
  submit(
    fieldErrors: readonly (readonly [Field, ErrorCode | undefined])[],
    work: (
      auth: SupabaseClient['auth'],
      client: SupabaseClient,
    ) => Promise<AuthError | AuthFailure | null>,
  ): Promise<void>;
}

export function useAuthForm(): AuthFormState {
  const getClient = useClient();
  const [busy, setBusy] = useState(false);
  const [errors, setErrors] = useState<readonly AuthFailure[]>([]);
  const [failureCount, setFailureCount] = useState(0);

  const showErrors = (shown: readonly AuthFailure[]) => {
    setErrors(shown);
    if (shown.length > 0) setFailureCount((count) => count + 1);
  };
  return {
    busy,
    failureCount,
    formError: errors.find((error) => error.field === undefined),
    getFieldError(field) {
      const error = errors.find((candidate) => candidate.field === field);
      return error && errorCatalog[error.code].message;
    },
    async submit(fieldErrors, work) {
      const invalid = fieldErrors.flatMap(([field, code]) => (code ? [{ field, code }] : []));
      if (invalid.length > 0) return showErrors(invalid);
      setBusy(true);
      try {
        const supabase = await getClient();
        const error = await work(supabase.auth, supabase);
        if (error === null) showErrors([]);
        else showErrors([error instanceof Error ? toAuthFailure(error) : error]);
      } finally {
        setBusy(false);
      }
    },
  };
}

/** Rejects text that can't be an email address. The auth server validates the rest. */
export function validateEmail(email: string): ErrorCode | undefined {
  return /^[^\s@]+@[^\s@]+$/.test(email) ? undefined : 'email_invalid';
}
