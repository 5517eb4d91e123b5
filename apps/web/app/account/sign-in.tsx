import type { ReactNode } from 'react';
import { Link, useNavigate } from 'react-router';
import { requestContext } from '../request-context.ts';
import { withNext } from '../session/next-path.ts';
import { TextField } from '../ui/text-field.tsx';
import type { Route } from './+types/sign-in';
import { findClaimant } from './account-details.server.ts';
import { AccountForm, readText } from './account-form.tsx';
import { AccountPage } from './account-page.tsx';
import { findEmailProblem, useAttempt } from './attempt.ts';
import { EmailField } from './fields.tsx';
import { ProviderButtons } from './provider-buttons.tsx';
import { readProviders } from './providers.server.ts';
import { requireVisitor } from './require.server.ts';
import { SecondFactorStep } from './second-factor-step.tsx';

export const meta: Route.MetaFunction = () => [{ title: 'Sign in — Vitrine' }];

export async function loader({ context, url }: Route.LoaderArgs) {
  const about = context.get(requestContext);
  const { next } = requireVisitor(about, url);
  const claimant = await findClaimant(about);
  const providers = await readProviders(about);
  return { next, claimant, providers, origin: about.origin };
}

export default function SignIn({ loaderData }: Route.ComponentProps) {
  const { next, claimant, providers, origin } = loaderData;
  const navigate = useNavigate();
  // The loader leads on who is signed in, and asks for the second factor who has one.
  const enter = () => navigate(withNext('/auth/sign-in', next), { replace: true });
  return claimant ? (
    <SecondFactorStep claimant={claimant} onShown={enter} />
  ) : (
    <SignInPage next={next} onSignedIn={enter}>
      <ProviderButtons providers={providers} origin={origin} next={next} />
    </SignInPage>
  );
}

interface SignInPageProps {
  next: string;
  onSignedIn: () => Promise<void> | void;
  /** Other ways, beneath the form. */
  children: ReactNode;
}

function SignInPage({ next, onSignedIn, children }: SignInPageProps) {
  const attempt = useAttempt();

  const signIn = (form: FormData) => {
    const email = readText(form, 'email').trim();
    const password = readText(form, 'password');
    const checks = [
      ['email', findEmailProblem(email)],
      ['password', password === '' ? 'sign_in_failed' : undefined],
    ] as const;
    void attempt.send(checks, async (auth) => {
      const { error } = await auth.signInWithPassword({ email, password });
      if (!error) await onSignedIn();
      return error;
    });
  };

  return (
    <AccountPage
      title="Sign in"
      footer={
        <>
          New here? <Link to={withNext('/auth/sign-up', next)}>Create an account</Link>
        </>
      }
    >
      <AccountForm submit="Sign in" attempt={attempt} onSubmit={signIn}>
        <EmailField attempt={attempt} autoComplete="username" />
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          error={attempt.errorOf('password')}
          aside={<Link to="/auth/forgot">Forgot password?</Link>}
        />
      </AccountForm>
      {children}
    </AccountPage>
  );
}
