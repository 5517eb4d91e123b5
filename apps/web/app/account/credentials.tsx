import { useRef, useState } from 'react';
import { forgetVerifiers } from '../session/forget-verifiers.ts';
import { callbackPath, withNext } from '../session/next-path.ts';
import { usePageSettings } from '../session/page-settings.ts';
import { showToast } from '../ui/toast.tsx';
import { AccountForm, readText } from './account-form.tsx';
import { findEmailProblem, useAttempt } from './attempt.ts';
import { EmailField, NewPasswordField } from './fields.tsx';
import { useNewPassword } from './use-new-password.ts';

/** Changes the address; where mail is configured, a link to the new one has to be opened first. */
export function EmailForm({ email, origin }: { email: string; origin: string }) {
  const page = usePageSettings();
  const attempt = useAttempt();
  const [sentTo, setSentTo] = useState<string>();

  const change = (form: FormData) => {
    const wanted = readText(form, 'email').trim();
    if (wanted === email) return;
    void attempt.send([['email', findEmailProblem(wanted)]], async (auth) => {
      const emailRedirectTo = origin + withNext(callbackPath, '/settings/account');
      const { data, error } = await auth.updateUser({ email: wanted }, { emailRedirectTo });
      if (error) return error;
      if (data.user.email === wanted) {
        forgetVerifiers(page);
        showToast({ title: 'E-mail changed' });
      } else setSentTo(wanted);
      return null;
    });
  };

  return (
    <AccountForm inline submit="Change e-mail" attempt={attempt} onSubmit={change}>
      <EmailField
        attempt={attempt}
        autoComplete="email"
        defaultValue={email}
        description={sentTo && `Open the link we sent to ${sentTo}; until then this one counts.`}
      />
    </AccountForm>
  );
}

export function PasswordForm({ email, username }: { email: string; username: string }) {
  const field = useRef<HTMLInputElement>(null);
  const { attempt, change } = useNewPassword({ email, username }, () => {
    if (field.current) field.current.value = '';
  });
  return (
    <AccountForm inline submit="Change password" attempt={attempt} onSubmit={change}>
      <NewPasswordField ref={field} attempt={attempt} label="New password" />
    </AccountForm>
  );
}
