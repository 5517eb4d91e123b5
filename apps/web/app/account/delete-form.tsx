import { catalogue, type ErrorCode } from '@vitrine/project';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { signOut } from '../session/session-end.ts';
import { useClient } from '../session/use-client.ts';
import { Button } from '../ui/button.tsx';
import { DialogActions } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { TextField } from '../ui/text-field.tsx';
import { showToast } from '../ui/toast.tsx';
import { readText } from './account-form.tsx';
import { callFunction } from './call-function.ts';
import { leavingDay } from './leaving-day.ts';
import { mailCode, prove, useProofKind, type ProofKind } from './delete-proof.ts';

/** Whoever asks shows anew that it is they, then the function ends every session. */
export function DeleteForm({ email }: { email: string }) {
  const client = useClient();
  const navigate = useNavigate();
  const [kind, setKind] = useProofKind();
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<ErrorCode>();

  const attempt = async (work: () => Promise<ErrorCode | undefined>) => {
    setBusy(true);
    setRefused(await work());
    setBusy(false);
  };
  const leave = (proof: string) =>
    attempt(async () => {
      const supabase = await client();
      const wrong = await prove(supabase, { kind, email, proof });
      if (wrong) return wrong;
      const answer = await callFunction(supabase, 'delete-account', 'unexpected');
      if (answer.code !== undefined) return answer.code;
      await signOut(supabase, 'local');
      await navigate('/');
      showToast({
        title: `Your account will be deleted on ${leavingDay(readDueAt(answer.data))}`,
        description: 'Sign in before that day to keep it.',
        timeoutMs: 0,
      });
      return undefined;
    });
  const mail = () =>
    attempt(async () => {
      const problem = await mailCode(await client(), email);
      if (!problem) setKind('mailed code');
      return problem;
    });

  const isOfField = refused === 'current_password_wrong' || refused === 'code_wrong';
  return (
    <form
      method="post"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) void leave(readText(new FormData(event.currentTarget), 'proof').trim());
      }}
    >
      <ProofField
        key={kind}
        kind={kind}
        email={email}
        error={isOfField ? catalogue[refused].sentence : undefined}
      />
      {refused && !isOfField && <ErrorNotice code={refused} />}
      <DialogActions>
        {kind === 'password' && (
          <Button size="small" variant="quiet" busy={busy} onClick={mail}>
            Mail me a code instead
          </Button>
        )}
        <Button type="submit" size="small" variant="danger" busy={busy}>
          Delete account
        </Button>
      </DialogActions>
    </form>
  );
}

interface ProofFieldProps {
  kind: ProofKind;
  email: string;
  error: string | undefined;
}

function ProofField({ kind, email, error }: ProofFieldProps) {
  if (kind === 'password') {
    return (
      <>
        <input type="hidden" name="email" autoComplete="username" value={email} readOnly />
        <TextField
          label="Password"
          name="proof"
          type="password"
          autoComplete="current-password"
          error={error}
          description="So that it is sure that it is you."
        />
      </>
    );
  }
  return (
    <TextField
      label="Code"
      name="proof"
      inputMode="numeric"
      autoComplete="one-time-code"
      error={error}
      description={
        kind === 'mailed code' ? `From the mail to ${email}.` : 'From your authenticator.'
      }
    />
  );
}

function readDueAt(answer: unknown): string {
  const isDue = typeof answer === 'object' && answer !== null && 'due_at' in answer;
  if (!isDue) throw new Error(`delete-account answered ${JSON.stringify(answer)}`);
  return String(answer.due_at);
}
