import { Link, useNavigate } from 'react-router';
import { requestContext } from '../request-context.ts';
import { findAuthProblem } from '../session/auth-problem.ts';
import { useClient } from '../session/use-client.ts';
import { withNext } from '../session/next-path.ts';
import { TextField } from '../ui/text-field.tsx';
import type { Route } from './+types/sign-in';
import { AccountForm, readText } from './account-form.tsx';
import { AccountPage } from './account-page.tsx';
import { fieldProblems, findEmailProblem, useAttempt } from './attempt.ts';
import { requireVisitor } from './require.server.ts';

export const meta: Route.MetaFunction = () => [{ title: 'Sign in — Vitrine' }];

export function loader({ context, url }: Route.LoaderArgs) {
  return requireVisitor(context.get(requestContext), url);
}

export default function SignIn({ loaderData: { next } }: Route.ComponentProps) {
  const client = useClient();
  const navigate = useNavigate();
  const attempt = useAttempt();

  const signIn = (form: FormData) =>
    attempt.run(async () => {
      const email = readText(form, 'email').trim();
      const password = readText(form, 'password');
      const wrong = fieldProblems([
        ['email', findEmailProblem(email)],
        ['password', password === '' ? 'sign_in_failed' : undefined],
      ]);
      if (wrong.length > 0) return wrong;
      const { error } = await (await client()).auth.signInWithPassword({ email, password });
      if (error) return [findAuthProblem(error)];
      await navigate(next, { replace: true });
      return [];
    });

  return (
    <AccountPage
      title="Sign in"
      footer={
        <>
          New here? <Link to={withNext('/auth/sign-up', next)}>Create an account</Link>
        </>
      }
    >
      <AccountForm
        submit="Sign in"
        busy={attempt.busy}
        trouble={attempt.trouble}
        refusals={attempt.refusals}
        onSubmit={signIn}
      >
        <TextField
          label="E-mail"
          name="email"
          type="email"
          autoComplete="username"
          error={attempt.errorOf('email')}
        />
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          error={attempt.errorOf('password')}
          aside={<Link to="/auth/forgot">Forgot password?</Link>}
        />
      </AccountForm>
    </AccountPage>
  );
}
