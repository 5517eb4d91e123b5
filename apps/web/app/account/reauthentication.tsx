/**
 * Re-authentication: asks a signed-in user for a password or code again, inside the form whose
 * change requires it. The form keeps its values, and the change continues afterwards.
 */
import type { AuthError, SupabaseClient } from '@supabase/supabase-js';
import { useState, type ReactNode } from 'react';
import type { AuthFailure } from '../session/auth-failure.ts';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/select.tsx';
import { TextField } from '../ui/text-field.tsx';
import type { Authenticator, SignInMethods } from './account-details.ts';
import { readCode, readText } from './account-form.tsx';
import type { AuthFormState } from './use-auth-form.ts';
import { CodeField, focusOnMount } from './fields.tsx';
import { MailDeliveryNote } from './mail-delivery-note.tsx';
import styles from './reauthentication.module.css';
import settings from './settings.module.css';

type Auth = SupabaseClient['auth'];

/** How a user re-authenticates. */
export type ReauthenticationMethod = 'password' | 'mailed code' | 'authenticator';

/** Attributes of `PUT /user` that re-authenticate; empty if the session is recent enough. */
export interface ReauthenticationAttributes {
  readonly current_password?: string;
  readonly nonce?: string;
}

export interface Reauthentication {
  /** Fields to show in the form; empty until the server requires re-authentication. */
  readonly fields: ReactNode;
  /**
   * Runs `change` with the attributes to add to `PUT /user`. Resolves to the error to show, or to
   * null once the change is made or the fields are shown.
   */
  run(
    auth: Auth,
    form: FormData,
    change: (attributes: ReauthenticationAttributes) => Promise<AuthError | AuthFailure | null>,
  ): Promise<AuthError | AuthFailure | null>;
  /** Hides the fields, for example because the form was closed. */
  reset(): void;
}

/** Picks the method to ask for first: the strongest one that the user has. */
export function chooseMethod(methods: SignInMethods): ReauthenticationMethod {
  if (methods.authenticators.length > 0) return 'authenticator';
  return methods.hasPassword ? 'password' : 'mailed code';
}

export function useReauthentication(
  authForm: AuthFormState,
  methods: SignInMethods,
): Reauthentication {
  /** The method whose fields are shown. */
  const [method, setMethod] = useState<ReauthenticationMethod>();

  const showFields = async (auth: Auth) => {
    const chosen = chooseMethod(methods);
    const error = chosen === 'mailed code' ? (await auth.reauthenticate()).error : null;
    if (error === null) setMethod(chosen);
    return error;
  };

  return {
    fields: method && (
      <>
        <p className={settings.note}>Confirm it’s you to continue.</p>
        <ReauthenticationFields
          method={method}
          authForm={authForm}
          authenticators={methods.authenticators}
          mail={(auth) => auth.reauthenticate()}
          onMailed={() => setMethod('mailed code')}
        />
      </>
    ),
    async run(auth, form, change) {
      const missing = method && findMissingCredential(method, form);
      if (missing) return missing;
      if (method === 'authenticator') {
        const { error } = await verifyCode(auth, form);
        if (error) return error;
        setMethod(undefined);
        return change({});
      }
      const failure = await change(method ? readAttributes(method, form) : {});
      const code = failure?.code;
      if (code === 'reauthentication_needed' && method === undefined) return showFields(auth);
      if (method && code === 'invalid_credentials') return wrongPassword;
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
  '',
]);

const wrongPassword: AuthFailure = { code: 'current_password_wrong', field: 'current' };

/** Re-authenticates the session before a change that isn't a `PUT /user` itself. */
export async function authenticateFirst(
  auth: Auth,
  attributes: ReauthenticationAttributes,
): Promise<AuthError | null> {
  if (Object.keys(attributes).length === 0) return null;
  return (await auth.updateUser(attributes)).error;
}

/** Returns the error to show if the method's field is empty. */
export function findMissingCredential(
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
  authForm: AuthFormState;
  authenticators: readonly Authenticator[];
  /** Emails a code, as an alternative to the password. */
  mail: (auth: Auth) => Promise<{ error: AuthError | null }>;
  onMailed: () => void;
}

/** Form fields: `current` for the password, or `code` with the authenticator's id in `factor`. */
export function ReauthenticationFields(props: FieldsProps) {
  const { method, authForm, authenticators, mail, onMailed } = props;
  const mailCode = () =>
    authForm.submit([], async (auth) => {
      const { error } = await mail(auth);
      if (!error) onMailed();
      return error;
    });
  if (method === 'authenticator') {
    return <AuthenticatorFields authForm={authForm} authenticators={authenticators} />;
  }
  if (method === 'mailed code') {
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
        <Button size="small" variant="quiet" onClick={() => void mailCode()}>
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
