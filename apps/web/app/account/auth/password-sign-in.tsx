import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { withNextPath } from '../../session/next-path.ts';
import { TextField } from '../../ui/text-field.tsx';
import { AccountForm, readText } from '../account-form.tsx';
import { AuthPage } from './auth-page.tsx';
import { validateEmail, useAuthForm } from '../use-auth-form.ts';
import { EmailField, focusFirst } from '../fields.tsx';

interface PasswordSignInProps {
  next: string;
  /** Whether sign-ups are open. */
  isSignUpOpen: boolean;
  onSignedIn: () => Promise<void> | void;
  /** Other sign-in methods, below the form. */
  children: ReactNode;
}

export function PasswordSignIn({ next, isSignUpOpen, onSignedIn, children }: PasswordSignInProps) {
  const authForm = useAuthForm();

  const signIn = (form: FormData) => {
    const email = readText(form, 'email').trim();
    const password = readText(form, 'password');
    const fieldErrors = [
      ['email', validateEmail(email)],
      ['password', password === '' ? 'sign_in_failed' : undefined],
    ] as const;
    void authForm.submit(fieldErrors, async (auth) => {
      const { error } = await auth.signInWithPassword({ email, password });
      if (!error) await onSignedIn();
      return error;
    });
  };

  return (
    <AuthPage
      title="Sign in"
      footer={
        isSignUpOpen && (
          <>
            New here? <Link to={withNextPath('/auth/sign-up', next)}>Create an account</Link>
          </>
        )
      }
    >
      <AccountForm submitLabel="Sign in" authForm={authForm} onSubmit={signIn}>
        <EmailField ref={focusFirst} authForm={authForm} autoComplete="username" />
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          error={authForm.getFieldError('password')}
          aside={<Link to="/auth/forgot">Forgot password?</Link>}
        />
      </AccountForm>
      {children}
    </AuthPage>
  );
}
