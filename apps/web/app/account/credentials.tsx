import { findPasswordProblem } from '@vitrine/project';
import { useRef, useState } from 'react';
import { findAuthProblem } from '../session/auth-problem.ts';
import { useClient } from '../session/use-client.ts';
import { callbackPath, withNext } from '../session/next-path.ts';
import { TextField } from '../ui/text-field.tsx';
import { showToast } from '../ui/toast.tsx';
import { AccountForm, readText } from './account-form.tsx';
import { fieldProblems, findEmailProblem, useAttempt } from './attempt.ts';

/** Changes the address; where mail is configured, a link to the new one has to be opened first. */
export function EmailForm({ email, origin }: { email: string; origin: string }) {
  const client = useClient();
  const attempt = useAttempt();
  const [sentTo, setSentTo] = useState<string>();

  const change = (form: FormData) =>
    attempt.run(async () => {
      const wanted = readText(form, 'email').trim();
      const wrong = fieldProblems([['email', findEmailProblem(wanted)]]);
      if (wrong.length > 0 || wanted === email) return wrong;
      const { data, error } = await (
        await client()
      ).auth.updateUser(
        { email: wanted },
        { emailRedirectTo: origin + withNext(callbackPath, '/settings/sessions') },
      );
      if (error) return [findAuthProblem(error)];
      if (data.user.email === wanted) showToast({ title: 'E-mail changed' });
      else setSentTo(wanted);
      return [];
    });

  return (
    <AccountForm
      inline
      submit="Change e-mail"
      busy={attempt.busy}
      trouble={attempt.trouble}
      refusals={attempt.refusals}
      onSubmit={change}
    >
      <TextField
        label="E-mail"
        name="email"
        type="email"
        autoComplete="email"
        defaultValue={email}
        error={attempt.errorOf('email')}
        description={sentTo && `Open the link we sent to ${sentTo}; until then this one counts.`}
      />
    </AccountForm>
  );
}

export function PasswordForm({ email, username }: { email: string; username: string }) {
  const client = useClient();
  const attempt = useAttempt();
  const field = useRef<HTMLInputElement>(null);

  const change = (form: FormData) =>
    attempt.run(async () => {
      const password = readText(form, 'password');
      const wrong = fieldProblems([
        ['password', findPasswordProblem(password, { email, username })],
      ]);
      if (wrong.length > 0) return wrong;
      const { error } = await (await client()).auth.updateUser({ password });
      if (error && error.code !== 'same_password') return [findAuthProblem(error)];
      if (field.current) field.current.value = '';
      showToast({ title: 'Your password is changed' });
      return [];
    });

  return (
    <AccountForm
      inline
      submit="Change password"
      busy={attempt.busy}
      trouble={attempt.trouble}
      refusals={attempt.refusals}
      onSubmit={change}
    >
      <TextField
        ref={field}
        label="New password"
        name="password"
        type="password"
        autoComplete="new-password"
        error={attempt.errorOf('password')}
        description="At least 10 characters: three or four words do well."
      />
    </AccountForm>
  );
}
