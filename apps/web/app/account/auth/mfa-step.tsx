import { Button } from '../../ui/button.tsx';
import { useSignOut } from '../../ui/page/account-menu.tsx';
import type { PendingMfaUser } from '../settings/account-details.ts';
import { AccountForm, readCode } from '../account-form.tsx';
import { AuthPage } from './auth-page.tsx';
import { useAuthForm } from '../use-auth-form.ts';
import { AuthenticatorFields, verifyCode } from '../settings/reauthentication.tsx';

/** The MFA step of sign-in: asks for a code from an authenticator app. */
export function MfaStep({ user, onVerified }: MfaStepProps) {
  const { email, authenticators } = user;
  const authForm = useAuthForm();
  const signOut = useSignOut();

  const verify = (form: FormData) => {
    const code = readCode(form);
    void authForm.submit([['code', code === '' ? 'code_required' : undefined]], async (auth) => {
      const { error } = await verifyCode(auth, form);
      if (!error) await onVerified();
      return error;
    });
  };

  return (
    <AuthPage
      title="Enter your code"
      intro={<p>Signing in as {email}. Open your authenticator app to get a code.</p>}
      footer={
        authenticators.length > 1
          ? 'Lost all of them? Contact your administrator.'
          : 'Lost your authenticator app? Contact your administrator.'
      }
    >
      <AccountForm submitLabel="Continue" authForm={authForm} onSubmit={verify}>
        <AuthenticatorFields authForm={authForm} authenticators={authenticators} />
      </AccountForm>
      <Button variant="quiet" onClick={signOut}>
        Sign out
      </Button>
    </AuthPage>
  );
}

interface MfaStepProps {
  user: PendingMfaUser;
  /** Called once the session has passed MFA. */
  onVerified: () => void | Promise<void>;
}
