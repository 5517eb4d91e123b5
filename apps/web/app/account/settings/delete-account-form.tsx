import type { AuthError, SupabaseClient } from '@supabase/supabase-js';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { AuthFailure } from '../../session/auth-failure.ts';
import { signOut } from '../../session/sign-out.ts';
import { showToast } from '../../ui/toast.tsx';
import type { SignInMethods } from './account-details.ts';
import { AccountForm, readCode, readText } from '../account-form.tsx';
import { useAuthForm } from '../use-auth-form.ts';
import { invokeFunction } from './invoke-function.ts';
import { formatDeletionDate } from './format-deletion-date.ts';
import {
  chooseMethod,
  validateCredential,
  ReauthenticationFields,
  verifyCode,
  type ReauthenticationMethod,
} from './reauthentication.tsx';

type AuthClient = SupabaseClient['auth'];

interface DeleteAccountFormProps {
  email: string;
  methods: SignInMethods;
  onCancel: () => void;
}

/**
 * Requests the deletion of the account. Always re-authenticates first, because a deletion can't be
 * undone after its due date. The `delete-account` function ends every session.
 */
export function DeleteAccountForm({ email, methods, onCancel }: DeleteAccountFormProps) {
  const authForm = useAuthForm();
  const navigate = useNavigate();
  const [method, setMethod] = useState(() => chooseMethod(methods));
  const [isCodeSent, setCodeSent] = useState(false);
  const mustSendCode = method === 'email-code' && !isCodeSent;
  const sendCode = (auth: AuthClient) =>
    auth.signInWithOtp({ email, options: { shouldCreateUser: false } });
  const onCodeSent = () => {
    setMethod('email-code');
    setCodeSent(true);
  };

  const requestDeletion = (form: FormData) =>
    void authForm.submit([], async (auth, client) => {
      if (mustSendCode) {
        const { error } = await sendCode(auth);
        if (!error) onCodeSent();
        return error;
      }
      const failure =
        validateCredential(method, form) ?? (await signInAgain(auth, method, email, form));
      if (failure) return failure;
      const response = await invokeFunction(client, 'delete-account', 'unexpected');
      if (response.code !== undefined) return { code: response.code };
      await signOut(client, 'local');
      await navigate('/');
      showToast({
        title: `Your account will be deleted on ${formatDeletionDate(readDueAt(response.data))}`,
        description: 'To keep it, sign in before then and choose “Keep my account”.',
        timeoutMs: 0,
      });
      return null;
    });

  return (
    <AccountForm
      submitLabel={mustSendCode ? 'Email me a code' : 'Delete account'}
      busyLabel={mustSendCode ? 'Sending…' : 'Deleting…'}
      danger={!mustSendCode}
      authForm={authForm}
      onCancel={onCancel}
      onSubmit={requestDeletion}
    >
      <input type="hidden" name="email" autoComplete="username" value={email} readOnly />
      {!mustSendCode && (
        <ReauthenticationFields
          method={method}
          authForm={authForm}
          authenticators={methods.authenticators}
          sendCode={sendCode}
          onCodeSent={onCodeSent}
        />
      )}
    </AccountForm>
  );
}

/**
 * Signs in again, so that the access token contains the time of it (`amr`). The auth server accepts a
 * password or code along with a change, but an edge function sees only the token. Returns the error.
 */
async function signInAgain(
  auth: AuthClient,
  method: ReauthenticationMethod,
  email: string,
  form: FormData,
): Promise<AuthError | AuthFailure | null> {
  switch (method) {
    case 'password': {
      const password = readText(form, 'current');
      const { error } = await auth.signInWithPassword({ email, password });
      return error?.code === 'invalid_credentials'
        ? { code: 'current_password_wrong', field: 'current' }
        : error;
    }
    case 'email-code':
      return (await auth.verifyOtp({ email, token: readCode(form), type: 'email' })).error;
    case 'authenticator':
      return (await verifyCode(auth, form)).error;
  }
}

function readDueAt(response: unknown): string {
  const hasDueAt = typeof response === 'object' && response !== null && 'due_at' in response;
  if (!hasDueAt) throw new Error(`delete-account returned ${JSON.stringify(response)}`);
  return String(response.due_at);
}
