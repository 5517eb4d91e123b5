import { useState } from 'react';
import { Link } from 'react-router';
import { clearCodeVerifiers } from '../../session/clear-code-verifiers.ts';
import { callbackPath, withNextPath } from '../../session/next-path.ts';
import { usePageSettings } from '../../session/page-settings.ts';
import { AccountForm, readCode, readText } from '../account-form.tsx';
import { AuthPage } from './auth-page.tsx';
import { validateEmail, useAuthForm } from '../use-auth-form.ts';
import { CodeField, EmailField, focusOnMount } from '../fields.tsx';
import { MailDeliveryNote } from '../mail-delivery-note.tsx';
import { UnverifiedNote } from './verify-email.tsx';

interface EmailSignInProps {
  next: string;
  origin: string;
  /** Whether users can sign in before they verify their email address. */
  allowsUnverifiedEmail: boolean;
  /** Whether an email address without an account may sign up this way. */
  isSignUpOpen: boolean;
  onSignedIn: () => Promise<void> | void;
}

/** Passwordless sign-in: an emailed link for this browser, and a code for any browser. */
export function EmailSignIn(props: EmailSignInProps) {
  const { next, origin, allowsUnverifiedEmail, isSignUpOpen, onSignedIn } = props;
  const sendsEmail = usePageSettings().mailDelivery === 'sent';
  const authForm = useAuthForm();
  const [sentTo, setSentTo] = useState<string>();

  const send = (form: FormData) => {
    const email = readText(form, 'email').trim();
    void authForm.submit([['email', validateEmail(email)]], async (auth) => {
      const emailRedirectTo = origin + withNextPath(callbackPath, next);
      const options = { emailRedirectTo, shouldCreateUser: isSignUpOpen };
      const { error } = await auth.signInWithOtp({ email, options });
      if (!error) setSentTo(email);
      return error;
    });
  };

  if (sentTo !== undefined) {
    return (
      <AuthPage
        title="Check your email"
        intro={
          <output>
            {isSignUpOpen
              ? sendsEmail
                ? `We sent a link and a code to ${sentTo}.`
                : 'Your link and code are ready.'
              : `If there’s an account for ${sentTo}, ${sendsEmail ? 'we sent it a link and a code' : 'your link and code are ready'}.`}{' '}
            Open the link in this browser, or enter the code.
          </output>
        }
        footer={<Link to={withNextPath('/auth/sign-in', next)}>Back to sign in</Link>}
      >
        <EnterCode email={sentTo} onSignedIn={onSignedIn} />
        <MailDeliveryNote />
      </AuthPage>
    );
  }
  return (
    <AuthPage
      title="Sign in with email"
      intro={<p>We’ll email you a link and a code. Use either one to sign in.</p>}
      footer={<Link to={withNextPath('/auth/sign-in', next)}>Sign in with a password</Link>}
    >
      <AccountForm submitLabel="Send link" authForm={authForm} onSubmit={send}>
        <EmailField authForm={authForm} autoComplete="username" />
      </AccountForm>
      {allowsUnverifiedEmail && <UnverifiedNote />}
    </AuthPage>
  );
}

function EnterCode({
  email,
  onSignedIn,
}: { email: string } & Pick<EmailSignInProps, 'onSignedIn'>) {
  const pageSettings = usePageSettings();
  const authForm = useAuthForm();
  const signIn = (form: FormData) => {
    const token = readCode(form);
    void authForm.submit([['code', token === '' ? 'code_required' : undefined]], async (auth) => {
      const { error } = await auth.verifyOtp({ type: 'email', email, token });
      if (error) return error;
      clearCodeVerifiers(pageSettings);
      await onSignedIn();
      return null;
    });
  };
  return (
    <AccountForm submitLabel="Sign in" authForm={authForm} onSubmit={signIn}>
      <CodeField authForm={authForm} ref={focusOnMount} />
    </AccountForm>
  );
}
