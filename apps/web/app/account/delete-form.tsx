import type { AuthError, SupabaseClient } from '@supabase/supabase-js';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { AuthFailure } from '../session/auth-failure.ts';
import { signOut } from '../session/sign-out.ts';
import { showToast } from '../ui/toast.tsx';
import type { SignInMethods } from './account-details.ts';
import { AccountForm, readCode, readText } from './account-form.tsx';
import { useAuthForm } from './use-auth-form.ts';
import { invokeFunction } from './invoke-function.ts';
import { formatDeletionDate } from './format-deletion-date.ts';
import {
  chooseMethod,
  findMissingCredential,
  ReauthenticationFields,
  verifyCode,
  type ReauthenticationMethod,
} from './reauthentication.tsx';

type Auth = SupabaseClient['auth'];

interface DeleteFormProps {
  email: string;
  methods: SignInMethods;
  onCancel: () => void;
}

/**
 * Requests the deletion of the account. Always re-authenticates first, because a deletion can't be
 * undone after its due date. The `delete-account` function ends every session.
 */
export function DeleteForm({ email, methods, onCancel }: DeleteFormProps) {
  const authForm = useAuthForm();
  const navigate = useNavigate();
  const [method, setMethod] = useState(() => chooseMethod(methods));
  const [isMailed, setMailed] = useState(false);
  const mustMail = method === 'mailed code' && !isMailed;
  const mail = (auth: Auth) => auth.signInWithOtp({ email, options: { shouldCreateUser: false } });
  const onMailed = () => {
    setMethod('mailed code');
    setMailed(true);
  };

  const requestDeletion = (form: FormData) =>
    void authForm.submit([], async (auth, client) => {
      if (mustMail) {
        const { error } = await mail(auth);
        if (!error) onMailed();
        return error;
      }
      const failure =
        findMissingCredential(method, form) ?? (await signInAgain(auth, method, email, form));
      if (failure) return failure;
      const answer = await invokeFunction(client, 'delete-account', 'unexpected');
      if (answer.code !== undefined) return { code: answer.code };
      await signOut(client, 'local');
      await navigate('/');
      showToast({
        title: `Your account will be deleted on ${formatDeletionDate(readDueAt(answer.data))}`,
        description: 'Sign in before then to cancel.',
        timeoutMs: 0,
      });
      return null;
    });

  return (
    <AccountForm
      submitLabel={mustMail ? 'Email me a code' : 'Delete account'}
      danger={!mustMail}
      authForm={authForm}
      onCancel={onCancel}
      onSubmit={requestDeletion}
    >
      <input type="hidden" name="email" autoComplete="username" value={email} readOnly />
      {!mustMail && (
        <ReauthenticationFields
          method={method}
          authForm={authForm}
          authenticators={methods.authenticators}
          mail={mail}
          onMailed={onMailed}
        />
      )}
    </AccountForm>
  );
}

/**
 * Signs in again, so that the access token holds the time of it. The auth server accepts a password
 * or code along with a change, but an edge function sees only the token. Returns the error.
 */
async function signInAgain(
  auth: Auth,
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
    case 'mailed code':
      return (await auth.verifyOtp({ email, token: readCode(form), type: 'email' })).error;
    case 'authenticator':
      return (await verifyCode(auth, form)).error;
  }
}

function readDueAt(answer: unknown): string {
  const isDue = typeof answer === 'object' && answer !== null && 'due_at' in answer;
  if (!isDue) throw new Error(`delete-account answered ${JSON.stringify(answer)}`);
  return String(answer.due_at);
}
