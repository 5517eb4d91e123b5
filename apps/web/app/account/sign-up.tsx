import { findPasswordProblem, findUsernameProblem } from '@vitrine/project';
import { Link, useNavigate } from 'react-router';
import { requestContext } from '../request-context.ts';
import { forgetVerifiers } from '../session/forget-verifiers.ts';
import { bringsDraft, callbackPath, withNext } from '../session/next-path.ts';
import { usePageSettings } from '../session/page-settings.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';
import type { Route } from './+types/sign-up';
import { AccountForm, readText } from './account-form.tsx';
import { AccountPage } from './account-page.tsx';
import { findEmailProblem, useAttempt } from './attempt.ts';
import { EmailField, NewPasswordField } from './fields.tsx';
import { OtherWays } from './other-ways.tsx';
import { requireVisitor } from './require.server.ts';
import { readSignInWays } from './sign-in-ways.server.ts';
import { UsernameField } from './username-field.tsx';

export const meta: Route.MetaFunction = () => [{ title: 'Create an account — Vitrine' }];

export async function loader({ context, url }: Route.LoaderArgs) {
  const request = context.get(requestContext);
  const { next } = requireVisitor(request, url);
  return { next, options: await readSignInWays(request), origin: request.origin };
}

export default function SignUp({ loaderData }: Route.ComponentProps) {
  const { next, options, origin } = loaderData;
  const page = usePageSettings();
  const navigate = useNavigate();
  const authForm = useAttempt();

  const signUp = (form: FormData) => {
    const email = readText(form, 'email').trim();
    const username = readText(form, 'username').trim().toLowerCase();
    const password = readText(form, 'password');
    const checks = [
      ['email', findEmailProblem(email)],
      ['username', findUsernameProblem(username)],
      ['password', findPasswordProblem(password, { email, username })],
    ] as const;
    void authForm.send(checks, async (auth) => {
      const emailRedirectTo = origin + withNext(callbackPath, next);
      const { data, error } = await auth.signUp({
        email,
        password,
        options: { data: { username }, emailRedirectTo },
      });
      if (error) return error;
      if (data.session) {
        forgetVerifiers(page);
        await navigate(next, { replace: true });
      } else await navigate(withNext('/auth/confirm', next), { state: { email } });
      return null;
    });
  };

  return (
    <AccountPage
      title="Create an account"
      intro={
        options.isOpen && bringsDraft(next) && 'We’ll save your draft as soon as you’ve signed up.'
      }
      footer={
        <>
          Already have an account? <Link to={withNext('/auth/sign-in', next)}>Sign in</Link>
        </>
      }
    >
      {options.isOpen ? (
        <>
          <AccountForm submitLabel="Create account" authForm={authForm} onSubmit={signUp}>
            <EmailField
              authForm={authForm}
              autoComplete="email"
              description="Used to sign in. Never shown publicly."
            />
            <UsernameField error={authForm.errorOf('username')} />
            <NewPasswordField authForm={authForm} label="Password" />
          </AccountForm>
          <OtherWays providers={options.providers} origin={origin} next={next} />
        </>
      ) : (
        <ErrorNotice code="sign_up_closed" />
      )}
    </AccountPage>
  );
}
