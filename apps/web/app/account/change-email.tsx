import { useRevalidator } from 'react-router';
import { forgetVerifiers } from '../session/forget-verifiers.ts';
import { callbackPath, withNext } from '../session/next-path.ts';
import { usePageSettings } from '../session/page-settings.ts';
import { showToast } from '../ui/toast.tsx';
import { AccountForm, readText } from './account-form.tsx';
import { findEmailProblem, useAttempt } from './attempt.ts';
import { EmailField } from './fields.tsx';
import { useProof } from './proof.tsx';

/** Where the link to the new mailbox leads: the account's settings, which then know that it was opened. */
const arrival = '/settings/account?email=confirmed';

/** Changes the address; where mail is configured, both mailboxes have to agree first. */
export function ChangeEmail({ email, origin }: { email: string; origin: string }) {
  const page = usePageSettings();
  const attempt = useAttempt();
  const proof = useProof(attempt);
  const { revalidate } = useRevalidator();

  const change = (form: FormData) => {
    const wanted = readText(form, 'email').trim();
    if (wanted === email) return;
    void attempt.send([['email', findEmailProblem(wanted)]], async (auth) => {
      const emailRedirectTo = origin + withNext(callbackPath, arrival);
      const changes = { email: wanted, ...proof.read(form) };
      const { data, error } = await auth.updateUser(changes, { emailRedirectTo });
      if (error) return proof.judge(error);
      proof.end();
      if (data.user.email === wanted) {
        forgetVerifiers(page);
        showToast({ title: 'E-mail changed' });
      } else await revalidate();
      return null;
    });
  };

  return (
    <AccountForm inline submit="Change e-mail" attempt={attempt} onSubmit={change}>
      <EmailField key={email} attempt={attempt} autoComplete="email" defaultValue={email} />
      {proof.fields}
    </AccountForm>
  );
}
