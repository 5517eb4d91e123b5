/**
 * Asks a signed-in user to authenticate again, in the form of the change that requires it: what was
 * typed stays, and the change goes on afterwards.
 */
import type { AuthError, SupabaseClient } from '@supabase/supabase-js';
import { useState, type ReactNode } from 'react';
import type { AuthProblem } from '../session/auth-problem.ts';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/select.tsx';
import { TextField } from '../ui/text-field.tsx';
import type { Authenticator, SignInMethods } from './account-details.ts';
import { readCode, readText } from './account-form.tsx';
import type { Attempt } from './attempt.ts';
import { CodeField, takeFocus } from './fields.tsx';
import { MailDelivery } from './mail-delivery.tsx';
import styles from './reauthentication.module.css';
import settings from './settings.module.css';

type Auth = SupabaseClient['auth'];

/** What a user authenticates again with. */
export type ReauthenticationMethod = 'password' | 'mailed code' | 'authenticator';

/** The part of `PUT /user` that authenticates; empty where the session counts as recent already. */
export interface ReauthenticationAttributes {
  readonly current_password?: string;
  readonly nonce?: string;
}

export interface Reauthentication {
  /** The fields to show in the form; null until the server has asked. */
  readonly fields: ReactNode;
  /**
   * Makes the change. Gives the refusal to show, and null once the change is made or the fields
   * have come up. `change` gets what has to go along with `PUT /user`.
   */
  run(
    auth: Auth,
    form: FormData,
    change: (attributes: ReauthenticationAttributes) => Promise<AuthError | AuthProblem | null>,
  ): Promise<AuthError | AuthProblem | null>;
  /** Takes the fields away, e.g. because the form was closed. */
  reset(): void;
}

/** The method that is asked for first. */
export function chooseMethod(methods: SignInMethods): ReauthenticationMethod {
  if (methods.authenticators.length > 0) return 'authenticator';
  return methods.hasPassword ? 'password' : 'mailed code';
}

export function useReauthentication(attempt: Attempt, methods: SignInMethods): Reauthentication {
  const [asked, setAsked] = useState<ReauthenticationMethod>();

  const ask = async (auth: Auth) => {
    const method = chooseMethod(methods);
    const unsent = method === 'mailed code' ? (await auth.reauthenticate()).error : null;
    if (unsent === null) setAsked(method);
    return unsent;
  };

  return {
    fields: asked && (
      <>
        <p className={settings.note}>Confirm it’s you to continue.</p>
        <ReauthenticationFields
          method={asked}
          attempt={attempt}
          authenticators={methods.authenticators}
          mail={(auth) => auth.reauthenticate()}
          onMailed={() => setAsked('mailed code')}
        />
      </>
    ),
    async run(auth, form, change) {
      const missing = asked && findMissing(asked, form);
      if (missing) return missing;
      if (asked === 'authenticator') {
        const { error } = await verifyCode(auth, form);
        if (error) return error;
        setAsked(undefined);
        return change({});
      }
      const problem = await change(asked ? readAttributes(asked, form) : {});
      const code = problem?.code;
      if (code === 'reauthentication_needed' && asked === undefined) return ask(auth);
      if (asked && code === 'invalid_credentials') return wrongPassword;
      // Refused for another reason, the session counts as recent by now.
      if (problem === null || !refusals.has(code ?? '')) setAsked(undefined);
      return problem;
    },
    reset: () => setAsked(undefined),
  };
}

/** Of the authentication itself: the fields stay. */
const refusals = new Set([
  'reauthentication_needed',
  'reauthentication_not_valid',
  'over_request_rate_limit',
  '',
]);

const wrongPassword: AuthProblem = { code: 'current_password_wrong', field: 'current' };

/** For a change that is no `PUT /user`: authenticates the session first. */
export async function authenticateFirst(
  auth: Auth,
  attributes: ReauthenticationAttributes,
): Promise<AuthError | null> {
  if (Object.keys(attributes).length === 0) return null;
  return (await auth.updateUser(attributes)).error;
}

export function findMissing(
  method: ReauthenticationMethod,
  form: FormData,
): AuthProblem | undefined {
  if (method === 'password') return readText(form, 'current') === '' ? wrongPassword : undefined;
  return readCode(form) === '' ? { code: 'code_wrong', field: 'code' } : undefined;
}

/** Shows the code of the authenticator that the form names. */
export function verifyCode(auth: Auth, form: FormData) {
  return auth.mfa.challengeAndVerify({
    factorId: readText(form, 'factor'),
    code: readCode(form),
  });
}

function readAttributes(
  method: ReauthenticationMethod,
  form: FormData,
): ReauthenticationAttributes {
  return method === 'password'
    ? { current_password: readText(form, 'current') }
    : { nonce: readCode(form) };
}

interface FieldsProps {
  method: ReauthenticationMethod;
  attempt: Attempt;
  authenticators: readonly Authenticator[];
  /** Mails a code to a user who has no password at hand. */
  mail: (auth: Auth) => Promise<{ error: AuthError | null }>;
  onMailed: () => void;
}

/** The current password as `current`, or a code as `code` and its authenticator as `factor`. */
export function ReauthenticationFields(props: FieldsProps) {
  const { method, attempt, authenticators, mail, onMailed } = props;
  const mailCode = () =>
    attempt.send([], async (auth) => {
      const { error } = await mail(auth);
      if (!error) onMailed();
      return error;
    });
  if (method === 'authenticator') {
    return <AuthenticatorFields attempt={attempt} authenticators={authenticators} />;
  }
  if (method === 'mailed code') {
    return (
      <>
        <CodeField
          attempt={attempt}
          label="Code from the email"
          ref={takeFocus}
          description="Sent to your account’s email address."
        />
        <MailDelivery />
      </>
    );
  }
  return (
    <TextField
      label="Current password"
      name="current"
      type="password"
      autoComplete="current-password"
      ref={takeFocus}
      error={attempt.errorOf('current')}
      aside={
        <Button size="small" variant="quiet" onClick={() => void mailCode()}>
          Email me a code instead
        </Button>
      }
    />
  );
}

interface AuthenticatorFieldsProps {
  attempt: Attempt;
  authenticators: readonly Authenticator[];
}

/** A code, and whose it is where there are several. */
export function AuthenticatorFields({ attempt, authenticators }: AuthenticatorFieldsProps) {
  const [chosen, setChosen] = useState(authenticators[0]?.id ?? '');
  return (
    <>
      {authenticators.length > 1 && (
        <div className={styles.choice}>
          <Select
            label="Authenticator"
            value={chosen}
            options={authenticators.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={setChosen}
          />
        </div>
      )}
      <input type="hidden" name="factor" value={chosen} readOnly />
      <CodeField
        attempt={attempt}
        ref={takeFocus}
        description="The 6-digit code from your authenticator app."
      />
    </>
  );
}
