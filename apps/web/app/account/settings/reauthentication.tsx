/**
 * Re-authentication: asks a signed-in user for a password or code again, inside the form whose
 * change requires it. The form keeps its values, and the change continues afterwards.
 */
import type { AuthError, SupabaseClient } from '@supabase/supabase-js';
import { useState, type ReactNode } from 'react';
import type { AuthFailure } from '../../session/auth-failure.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import type { Authenticator, SignInMethods } from './account-details.ts';
import { readCode, readText } from '../account-form.tsx';
import type { AuthFormState } from '../use-auth-form.ts';
import { CodeField, focusOnMount } from '../fields.tsx';
import { MailDeliveryNote } from '../mail-delivery-note.tsx';
import styles from './reauthentication.module.css';
import settingsStyles from './settings.module.css';

type AuthClient = SupabaseClient['auth'];

/** How a user re-authenticates. */
export type ReauthenticationMethod = 'password' | 'email-code' | 'authenticator';

/** Attributes of `PUT /user` that re-authenticate; empty if the session is recent enough. */
interface ReauthenticationAttributes {
  readonly current_password?: string;
  readonly nonce?: string;
}

export interface Reauthentication {
  /** Fields to show in the form; empty until the server requires re-authentication. */
  readonly fields: ReactNode;
  /**
   * Runs `change` with the attributes to add to `PUT /user`. Resolves to the error to show, or to
   * null if the change succeeded or the fields are now shown.
   */
  run(
    auth: AuthClient,
    form: FormData,
    change: (attributes: ReauthenticationAttributes) => Promise<AuthError | AuthFailure | null>,
  ): Promise<AuthError | AuthFailure | null>;
  /** Hides the fields, for example because the form was closed. */
  reset(): void;
}

/** Picks the method to ask for first: the strongest one that the user has. */
export function chooseMethod(methods: SignInMethods): ReauthenticationMethod {
  if (methods.authenticators.length > 0) return 'authenticator';
  return methods.hasPassword ? 'password' : 'email-code';
}

export function useReauthentication(
  authForm: AuthFormState,
  methods: SignInMethods,
): Reauthentication {
  /** The method whose fields are shown. */
  const [method, setMethod] = useState<ReauthenticationMethod>();

  const showFields = async (auth: AuthClient) => {
    const chosen = chooseMethod(methods);
    const error = chosen === 'email-code' ? (await auth.reauthenticate()).error : null;
    if (error === null) setMethod(chosen);
    return error;
  };

  return {
    fields: method && (
      <>
        <p className={settingsStyles.note}>Confirm it’s you to continue.</p>
        <ReauthenticationFields
          method={method}
          authForm={authForm}
          authenticators={methods.authenticators}
          sendCode={(auth) => auth.reauthenticate()}
          onCodeSent={() => setMethod('email-code')}
        />
      </>
    ),
    async run(auth, form, change) {
      const invalid = method && validateCredential(method, form);
      if (invalid) return invalid;
      if (method === 'authenticator') {
        const { error } = await verifyCode(auth, form);
        if (error) return error;
        setMethod(undefined);
        return change({});
      }
      const failure = await change(method ? readAttributes(method, form) : {});
      const code = failure?.code;
      if (code === 'reauthentication_needed' && method === undefined) return showFields(auth);
      if (method && code === 'invalid_credentials') return passwordFailure;
      // Any other error means that re-authentication itself succeeded.
      if (failure === null || !reauthenticationErrors.has(code ?? '')) setMethod(undefined);
      return failure;
    },
    reset: () => setMethod(undefined),
  };
}

/** Auth error codes after which the fields stay, because re-authentication failed. */
const reauthenticationErrors = new Set([
  'reauthentication_needed',
  'reauthentication_not_valid',
  'over_request_rate_limit',
  // A failure without a code, for example without a network.
  '',
]);

const passwordFailure: AuthFailure = { code: 'current_password_wrong', field: 'current' };

/** Re-authenticates the session by a request of its own, before a change that isn't a `PUT /user` itself. */
export async function reauthenticateSession(
  auth: AuthClient,
  attributes: ReauthenticationAttributes,
): Promise<AuthError | null> {
  if (Object.keys(attributes).length === 0) return null;
  return (await auth.updateUser(attributes)).error;
}

/** Returns the error to show if the form's field for the method is empty. */
export function validateCredential(
  method: ReauthenticationMethod,
  form: FormData,
): AuthFailure | undefined {
  if (method === 'password')
    return readText(form, 'current') === ''
      ? { code: 'current_password_required', field: 'current' }
      : undefined;
  return readCode(form) === '' ? { code: 'code_required', field: 'code' } : undefined;
}

/** Verifies the code of the authenticator selected in the form. */
export function verifyCode(auth: AuthClient, form: FormData) {
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

interface ReauthenticationFieldsProps {
  method: ReauthenticationMethod;
  authForm: AuthFormState;
  authenticators: readonly Authenticator[];
  /** Emails a code, for the button next to the password. */
  sendCode: (auth: AuthClient) => Promise<{ error: AuthError | null }>;
  onCodeSent: () => void;
}

/** Form fields: `current` for the password, or `code` with the authenticator's id in `factor`. */
export function ReauthenticationFields(props: ReauthenticationFieldsProps) {
  const { method, authForm, authenticators, sendCode, onCodeSent } = props;
  const requestCode = () =>
    authForm.submit([], async (auth) => {
      const { error } = await sendCode(auth);
      if (!error) onCodeSent();
      return error;
    });
  if (method === 'authenticator') {
    return <AuthenticatorFields authForm={authForm} authenticators={authenticators} />;
  }
  if (method === 'email-code') {
    return (
      <>
        <CodeField
          authForm={authForm}
          label="Code from the email"
          ref={focusOnMount}
          description="Sent to your account’s email address."
        />
        <MailDeliveryNote />
      </>
    );
  }
  return (
    <TextField
      label="Current password"
      name="current"
      type="password"
      autoComplete="current-password"
      ref={focusOnMount}
      error={authForm.getFieldError('current')}
      aside={
        <Button size="small" variant="quiet" onClick={() => void requestCode()}>
          Email me a code instead
        </Button>
      }
    />
  );
}

interface AuthenticatorFieldsProps {
  authForm: AuthFormState;
  authenticators: readonly Authenticator[];
}

/** Fields for an authenticator's code, with a select if there are several authenticators. */
export function AuthenticatorFields({ authForm, authenticators }: AuthenticatorFieldsProps) {
  const [selected, setSelected] = useState(authenticators[0]?.id ?? '');
  return (
    <>
      {authenticators.length > 1 && (
        <div className={styles.choice}>
          <Select
            label="Authenticator app"
            value={selected}
            options={authenticators.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={setSelected}
          />
        </div>
      )}
      <input type="hidden" name="factor" value={selected} readOnly />
      <CodeField
        authForm={authForm}
        ref={focusOnMount}
        description="The 6-digit code from your authenticator app."
      />
    </>
  );
}
