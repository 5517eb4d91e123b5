import { Button } from '../ui/button.tsx';
import { useSignOut } from '../ui/account-menu.tsx';
import type { Claimant } from './account-details.ts';
import { AccountForm, readCode } from './account-form.tsx';
import { AccountPage } from './account-page.tsx';
import { useAttempt } from './attempt.ts';
import { AuthenticatorFields, verifyCode } from './reauthentication.tsx';

/** The step after signing in of who has a second factor; then the session is theirs. */
export function SecondFactorStep({ claimant, onShown }: StepProps) {
  const { email, authenticators } = claimant;
  const attempt = useAttempt();
  const leave = useSignOut();

  const show = (form: FormData) => {
    const code = readCode(form);
    void attempt.send([['code', code === '' ? 'code_wrong' : undefined]], async (auth) => {
      const { error } = await verifyCode(auth, form);
      if (!error) await onShown();
      return error;
    });
  };

  return (
    <AccountPage
      title="Enter your code"
      intro={<p>For {email}. Open your authenticator app to get a code.</p>}
      footer={
        authenticators.length > 1
          ? 'Lost all of them? Contact your administrator.'
          : 'Lost your authenticator? Contact your administrator.'
      }
    >
      <AccountForm submit="Continue" attempt={attempt} onSubmit={show}>
        <AuthenticatorFields attempt={attempt} authenticators={authenticators} />
      </AccountForm>
      <Button variant="quiet" onClick={leave}>
        Sign out
      </Button>
    </AccountPage>
  );
}

interface StepProps {
  claimant: Claimant;
  /** Goes on with the session that has shown it. */
  onShown: () => void | Promise<void>;
}
