import { useRevalidator } from 'react-router';
import { forgetVerifiers } from '../session/forget-verifiers.ts';
import { callbackPath, withNext } from '../session/next-path.ts';
import { usePageSettings } from '../session/page-settings.ts';
import { showToast } from '../ui/toast.tsx';
import type { SignInMethods } from './account-details.ts';
import { AccountForm, readText } from './account-form.tsx';
import { findEmailProblem, useAttempt } from './attempt.ts';
import { EmailField } from './fields.tsx';
import { useReauthentication } from './reauthentication.tsx';

/** Where the link to the new mailbox leads: the account's settings, which then know that it was opened. */
const arrival = '/settings/account?email=confirmed';

/** Changes the address; where mail is configured, both mailboxes have to agree first. */
interface ChangeEmailProps {
  email: string;
  origin: string;
  methods: SignInMethods;
}

export function ChangeEmail({ email, origin, methods }: ChangeEmailProps) {
  const page = usePageSettings();
  const attempt = useAttempt();
  const reauthentication = useReauthentication(attempt, methods);
  const { revalidate } = useRevalidator();

  const change = (form: FormData) => {
    const wanted = readText(form, 'email').trim();
    if (wanted === email) return;
    void attempt.send([['email', findEmailProblem(wanted)]], (auth) =>
      reauthentication.run(auth, form, async (attributes) => {
        const emailRedirectTo = origin + withNext(callbackPath, arrival);
        const changes = { email: wanted, ...attributes };
        const { data, error } = await auth.updateUser(changes, { emailRedirectTo });
        if (error) return error;
        if (data.user.email === wanted) {
          forgetVerifiers(page);
          showToast({ title: 'Email changed' });
        } else await revalidate();
        return null;
      }),
    );
  };

  return (
    <AccountForm inline submit="Change email" attempt={attempt} onSubmit={change}>
      <EmailField key={email} attempt={attempt} autoComplete="email" defaultValue={email} />
      {reauthentication.fields}
    </AccountForm>
  );
}
