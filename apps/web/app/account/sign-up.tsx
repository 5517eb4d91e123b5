import { findPasswordProblem, findUsernameProblem } from '@vitrine/project';
import { Link, useNavigate } from 'react-router';
import { requestContext } from '../request-context.ts';
import { findAuthProblem } from '../session/auth-problem.ts';
import { useClient } from '../session/use-client.ts';
import { callbackPath, withNext } from '../session/next-path.ts';
import { TextField } from '../ui/text-field.tsx';
import type { Route } from './+types/sign-up';
import { AccountForm, readText } from './account-form.tsx';
import { AccountPage } from './account-page.tsx';
import { fieldProblems, findEmailProblem, useAttempt } from './attempt.ts';
import { requireVisitor } from './require.server.ts';
import { UsernameField } from './username-field.tsx';

export const meta: Route.MetaFunction = () => [{ title: 'Create an account — Vitrine' }];

export function loader({ context, url }: Route.LoaderArgs) {
  const about = context.get(requestContext);
  return { ...requireVisitor(about, url), origin: about.origin };
}

export default function SignUp({ loaderData: { next, origin } }: Route.ComponentProps) {
  const client = useClient();
  const navigate = useNavigate();
  const attempt = useAttempt();

  const signUp = (form: FormData) =>
    attempt.run(async () => {
      const email = readText(form, 'email').trim();
      const username = readText(form, 'username').trim().toLowerCase();
      const password = readText(form, 'password');
      const wrong = fieldProblems([
        ['email', findEmailProblem(email)],
        ['username', findUsernameProblem(username)],
        ['password', findPasswordProblem(password, { email, username })],
      ]);
      if (wrong.length > 0) return wrong;
      const emailRedirectTo = origin + withNext(callbackPath, next);
      const { data, error } = await (
        await client()
      ).auth.signUp({
        email,
        password,
        options: { data: { username }, emailRedirectTo },
      });
      if (error) return [findAuthProblem(error)];
      if (data.session) await navigate(next, { replace: true });
      else await navigate(withNext('/auth/confirm', next), { state: { email } });
      return [];
    });

  return (
    <AccountPage
      title="Create an account"
      footer={
        <>
          Have one already? <Link to={withNext('/auth/sign-in', next)}>Sign in</Link>
        </>
      }
    >
      <AccountForm
        submit="Create account"
        busy={attempt.busy}
        trouble={attempt.trouble}
        refusals={attempt.refusals}
        onSubmit={signUp}
      >
        <TextField
          label="E-mail"
          name="email"
          type="email"
          autoComplete="email"
          error={attempt.errorOf('email')}
        />
        <UsernameField error={attempt.errorOf('username')} />
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="new-password"
          error={attempt.errorOf('password')}
          description="At least 10 characters: three or four words do well."
        />
      </AccountForm>
    </AccountPage>
  );
}
