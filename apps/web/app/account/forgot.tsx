import { useState } from 'react';
import { Link } from 'react-router';
import { requestContext } from '../request-context.ts';
import { findAuthProblem } from '../session/auth-problem.ts';
import { useClient } from '../session/use-client.ts';
import { callbackPath, withNext } from '../session/next-path.ts';
import { recoveryPath } from '../session/recovery.ts';
import { TextField } from '../ui/text-field.tsx';
import type { Route } from './+types/forgot';
import { AccountForm, readText } from './account-form.tsx';
import { AccountPage } from './account-page.tsx';
import { fieldProblems, findEmailProblem, useAttempt } from './attempt.ts';
import { OutboxLink } from './outbox-link.tsx';

export const meta: Route.MetaFunction = () => [{ title: 'Forgot password — Vitrine' }];

export function loader({ context }: Route.LoaderArgs) {
  const { origin, outbox } = context.get(requestContext);
  return { origin, hasOutbox: outbox !== null };
}

export default function Forgot({ loaderData: { origin, hasOutbox } }: Route.ComponentProps) {
  const client = useClient();
  const attempt = useAttempt();
  const [sentTo, setSentTo] = useState<string>();

  const send = (form: FormData) =>
    attempt.run(async () => {
      const email = readText(form, 'email').trim();
      const wrong = fieldProblems([['email', findEmailProblem(email)]]);
      if (wrong.length > 0) return wrong;
      const redirectTo = origin + withNext(callbackPath, recoveryPath);
      const { error } = await (await client()).auth.resetPasswordForEmail(email, { redirectTo });
      if (error) return [findAuthProblem(error)];
      setSentTo(email);
      return [];
    });

  return (
    <AccountPage
      title={sentTo ? 'Check your mail' : 'Forgot password?'}
      intro={
        <output>
          {sentTo
            ? `If ${sentTo} has an account, a link is on its way. Open it in this browser within an hour.`
            : 'We mail you a link that lets you choose a new one.'}
        </output>
      }
      footer={<Link to="/auth/sign-in">Back to sign in</Link>}
    >
      {sentTo ? (
        hasOutbox && <OutboxLink />
      ) : (
        <AccountForm
          submit="Send link"
          busy={attempt.busy}
          trouble={attempt.trouble}
          refusals={attempt.refusals}
          onSubmit={send}
        >
          <TextField
            label="E-mail"
            name="email"
            type="email"
            autoComplete="username"
            error={attempt.errorOf('email')}
          />
        </AccountForm>
      )}
    </AccountPage>
  );
}
