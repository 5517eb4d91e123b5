import { useState } from 'react';
import { Link } from 'react-router';
import { requestContext } from '../request-context.ts';
import { callbackPath, withNext } from '../session/next-path.ts';
import { recoveryPath } from '../session/recovery.ts';
import type { Route } from './+types/forgot';
import { AccountForm, readText } from './account-form.tsx';
import { AccountPage } from './account-page.tsx';
import { findEmailProblem, useAttempt } from './attempt.ts';
import { EmailField } from './fields.tsx';
import { OutboxLink } from './outbox-link.tsx';
import { readSignInWays } from './sign-in-ways.server.ts';
import { UnverifiedNote } from './verify-email.tsx';

export const meta: Route.MetaFunction = () => [{ title: 'Forgot password — Vitrine' }];

export async function loader({ context }: Route.LoaderArgs) {
  const about = context.get(requestContext);
  const { confirmsEmail } = await readSignInWays(about);
  const { origin, outbox } = about;
  return { origin, hasOutbox: outbox !== null, mayBeUnverified: !confirmsEmail };
}

export default function Forgot({ loaderData }: Route.ComponentProps) {
  const { origin, hasOutbox, mayBeUnverified } = loaderData;
  const attempt = useAttempt();
  const [sentTo, setSentTo] = useState<string>();

  const send = (form: FormData) => {
    const email = readText(form, 'email').trim();
    void attempt.send([['email', findEmailProblem(email)]], async (auth) => {
      const redirectTo = origin + withNext(callbackPath, recoveryPath);
      const { error } = await auth.resetPasswordForEmail(email, { redirectTo });
      if (!error) setSentTo(email);
      return error;
    });
  };

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
        <>
          <AccountForm submit="Send link" attempt={attempt} onSubmit={send}>
            <EmailField attempt={attempt} autoComplete="username" />
          </AccountForm>
          {mayBeUnverified && <UnverifiedNote />}
        </>
      )}
    </AccountPage>
  );
}
