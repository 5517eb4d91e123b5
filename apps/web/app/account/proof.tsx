import type { AuthError } from '@supabase/supabase-js';
import { useState, type ReactNode } from 'react';
import type { AuthProblem } from '../session/auth-problem.ts';
import { readCode, readText } from './account-form.tsx';
import type { Attempt } from './attempt.ts';
import { ProofFields } from './proof-fields.tsx';
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
  const [asked, setAsked] = useState<'password' | 'mailed code'>();
  return {
    fields: asked && (
      <>
        <p className={settings.note}>You signed in more than a day ago, so show that it is you.</p>
        <ProofFields
          kind={asked}
          attempt={attempt}
          mail={(auth) => auth.reauthenticate()}
          onMailed={() => setAsked('mailed code')}
        />
      </>
    ),
    read(form) {
      if (asked === 'password') return { current_password: readText(form, 'current') };
      return asked === 'mailed code' ? { nonce: readCode(form) } : {};
    },
    judge(error) {
      const isAsking = error.code === 'reauthentication_needed';
      if (isAsking && asked === undefined) {
        setAsked('password');
        return null;
      }
      if (isAsking && asked === 'mailed code') return { code: 'code_wrong', field: 'code' };
      const isWrong = isAsking || error.code === 'invalid_credentials';
      return isWrong ? { code: 'current_password_wrong', field: 'current' } : error;
    },
    end: () => setAsked(undefined),
  };
}
