import { findPasswordProblem } from '@vitrine/project';
import { useNavigate } from 'react-router';
import { findAuthProblem } from '../session/auth-problem.ts';
import { useClient } from '../session/use-client.ts';
import { endRecovery } from '../session/recovery.ts';
import { signOut } from '../session/session-end.ts';
import { useViewer } from '../session/viewer.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { TextField } from '../ui/text-field.tsx';
import { showToast } from '../ui/toast.tsx';
import type { Route } from './+types/reset';
import { AccountForm, readText } from './account-form.tsx';
import { AccountPage } from './account-page.tsx';
import { fieldProblems, useAttempt } from './attempt.ts';

export const meta: Route.MetaFunction = () => [{ title: 'Choose a new password — Vitrine' }];

/** Reached by the mailed link, which signed this browser in. */
export default function Reset() {
  const viewer = useViewer();
  if (viewer) return <ChoosePassword email={viewer.email} username={viewer.username ?? ''} />;
  return (
    <AccountPage title="Choose a new password">
      <ErrorNotice code="link_expired">
        <ButtonLink to="/auth/forgot" size="small">
          Ask for a new link
        </ButtonLink>
      </ErrorNotice>
    </AccountPage>
  );
}

function ChoosePassword({ email, username }: { email: string; username: string }) {
  const client = useClient();
  const navigate = useNavigate();
  const attempt = useAttempt();

  const choose = (form: FormData) =>
    attempt.run(async () => {
      const password = readText(form, 'password');
      const wrong = fieldProblems([
        ['password', findPasswordProblem(password, { email, username })],
      ]);
      if (wrong.length > 0) return wrong;
      const { error } = await (await client()).auth.updateUser({ password });
      // The same password again is what the person wanted, too.
      if (error && error.code !== 'same_password') return [findAuthProblem(error)];
      endRecovery();
      showToast({ title: 'Your password is changed' });
      await navigate('/', { replace: true });
      return [];
    });

  // Whoever opened the link and does not go on should not stay signed in by it.
  const cancel = async () => {
    endRecovery();
    await signOut(await client(), 'local');
    await navigate('/', { replace: true });
  };

  return (
    <AccountPage title="Choose a new password" intro={<p>For {email}.</p>}>
      <AccountForm
        submit="Change password"
        busy={attempt.busy}
        trouble={attempt.trouble}
        refusals={attempt.refusals}
        onSubmit={choose}
      >
        <input type="hidden" name="email" autoComplete="username" value={email} readOnly />
        <TextField
          label="New password"
          name="password"
          type="password"
          autoComplete="new-password"
          error={attempt.errorOf('password')}
          description="At least 10 characters: three or four words do well."
        />
      </AccountForm>
      <Button variant="quiet" onClick={cancel}>
        Cancel and sign out
      </Button>
    </AccountPage>
  );
}
