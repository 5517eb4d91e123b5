import type { AuthError } from '@supabase/supabase-js';
import { useState, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/text-field.tsx';
import type { AuthProblem } from '../session/auth-problem.ts';
import { readText } from './account-form.tsx';
import type { Attempt } from './attempt.ts';
import { CodeField } from './fields.tsx';
import { readCode } from './second-factor-step.tsx';
import settings from './settings.module.css';

export interface Proof {
  /** To be filled in, once the auth server has asked for it. */
  readonly fields: ReactNode;
  /** The part of a change that carries it. */
  read(form: FormData): { current_password?: string; nonce?: string };
  /** What is to be said of a refusal; nothing where it only asks for proof. */
  judge(error: AuthError): AuthError | AuthProblem | null;
  /** The change is made. */
  end(): void;
}

/**
 * Shows that it is the person who changes their account: a session of more than a day is not enough.
 * The password until now does, or a code that is mailed.
 */
export function useProof(attempt: Attempt): Proof {
  const [asked, setAsked] = useState<'password' | 'code'>();
  return {
    fields: asked && (
      <ProofFields kind={asked} attempt={attempt} onMailed={() => setAsked('code')} />
    ),
    read(form) {
      if (asked === 'password') return { current_password: readText(form, 'current') };
      return asked === 'code' ? { nonce: readCode(form) } : {};
    },
    judge(error) {
      const isAsking = error.code === 'reauthentication_needed';
      if (isAsking && asked === undefined) {
        setAsked('password');
        return null;
      }
      if (isAsking && asked === 'code') return { code: 'code_wrong', field: 'code' };
      const isWrong = isAsking || error.code === 'invalid_credentials';
      return isWrong ? { code: 'current_password_wrong', field: 'current' } : error;
    },
    end: () => setAsked(undefined),
  };
}

function ProofFields({ kind, attempt, onMailed }: ProofFieldsProps) {
  const mail = () =>
    attempt.send([], async (auth) => {
      const { error } = await auth.reauthenticate();
      if (!error) onMailed();
      return error;
    });
  return (
    <>
      <p className={settings.note}>You signed in more than a day ago, so show that it is you.</p>
      {kind === 'password' ? (
        <TextField
          label="Current password"
          name="current"
          type="password"
          autoComplete="current-password"
          autoFocus
          error={attempt.errorOf('current')}
          aside={
            <Button size="small" variant="quiet" onClick={() => void mail()}>
              Mail me a code instead
            </Button>
          }
        />
      ) : (
        <CodeField
          attempt={attempt}
          label="Code from the mail"
          autoFocus
          description="We mailed it to the address of your account."
        />
      )}
    </>
  );
}

interface ProofFieldsProps {
  kind: 'password' | 'code';
  attempt: Attempt;
  onMailed: () => void;
}
