import { useState } from 'react';
import { useNavigate } from 'react-router';
import { signOut } from '../session/session-end.ts';
import { showToast } from '../ui/toast.tsx';
import type { Authenticator } from './account-details.ts';
import { AccountForm, readCode, readText } from './account-form.tsx';
import { useAttempt } from './attempt.ts';
import { callFunction } from './call-function.ts';
import { prove, type Given } from './delete-proof.ts';
import { leavingDay } from './leaving-day.ts';
import { ProofFields } from './proof-fields.tsx';

interface DeleteFormProps {
  email: string;
  authenticators: readonly Authenticator[];
  onCancel: () => void;
}

/** Whoever asks shows anew that it is they, then the function ends every session. */
export function DeleteForm({ email, authenticators, onCancel }: DeleteFormProps) {
  const attempt = useAttempt();
  const navigate = useNavigate();
  const factorId = authenticators[0]?.id;
  const [isMailed, setMailed] = useState(false);
  const first = factorId === undefined ? 'password' : 'authenticator';

  const leave = (form: FormData) => {
    const given = readGiven(form, { email, factorId, isMailed });
    void attempt.send(checksOf(given), async (auth, client) => {
      const wrong = await prove(auth, given);
      if (wrong) return wrong;
      const answer = await callFunction(client, 'delete-account', 'unexpected');
      if (answer.code !== undefined) return { code: answer.code };
      await signOut(client, 'local');
      await navigate('/');
      showToast({
        title: `Your account will be deleted on ${leavingDay(readDueAt(answer.data))}`,
        description: 'Sign in before that day to keep it.',
        timeoutMs: 0,
      });
      return null;
    });
  };

  return (
    <AccountForm
      submit="Delete account"
      danger
      attempt={attempt}
      onCancel={onCancel}
      onSubmit={leave}
    >
      <input type="hidden" name="email" autoComplete="username" value={email} readOnly />
      <ProofFields
        kind={isMailed ? 'mailed code' : first}
        attempt={attempt}
        mail={(auth) => auth.signInWithOtp({ email, options: { shouldCreateUser: false } })}
        onMailed={() => setMailed(true)}
      />
    </AccountForm>
  );
}

function readGiven(
  form: FormData,
  about: { email: string; factorId: string | undefined; isMailed: boolean },
): Given {
  const { email, factorId, isMailed } = about;
  if (factorId !== undefined) return { kind: 'authenticator', factorId, code: readCode(form) };
  if (isMailed) return { kind: 'mailed code', email, code: readCode(form) };
  return { kind: 'password', email, password: readText(form, 'current') };
}

function checksOf(given: Given) {
  return given.kind === 'password'
    ? ([['current', given.password === '' ? 'current_password_wrong' : undefined]] as const)
    : ([['code', given.code === '' ? 'code_wrong' : undefined]] as const);
}

function readDueAt(answer: unknown): string {
  const isDue = typeof answer === 'object' && answer !== null && 'due_at' in answer;
  if (!isDue) throw new Error(`delete-account answered ${JSON.stringify(answer)}`);
  return String(answer.due_at);
}
