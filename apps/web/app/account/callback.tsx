import { useEffect, useState } from 'react';
import { useNavigate, useRevalidator } from 'react-router';
import { findAuthProblem, type AuthProblem } from '../session/auth-problem.ts';
import { useClient } from '../session/use-client.ts';
import { readNext, withNext } from '../session/next-path.ts';
import { beginRecovery, isRecovering, recoveryPath } from '../session/recovery.ts';
import { useViewer } from '../session/viewer.ts';
import { ButtonLink } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import type { Route } from './+types/callback';
import { AcceptMail, findToken } from './accept-mail.tsx';
import { AccountPage } from './account-page.tsx';
import { findRefusal } from '../session/refusals.ts';

export const meta: Route.MetaFunction = () => [
  { title: 'Signing in — Vitrine' },
  // The code in the address must not travel to wherever the next link leads.
  { name: 'referrer', content: 'no-referrer' },
];

export function loader({ url }: Route.LoaderArgs) {
  const { searchParams } = url;
  return {
    next: readNext(url),
    refusal: findRefusal(searchParams),
    token: findToken(searchParams),
  };
}

/**
 * Where mailed links and providers lead. The auth client exchanges the code when it is made, which needs the
 * verifier that this browser kept; a code that somebody else asked for stays unused. The link of a
 * sign-up in another browser has a token besides, for a button to be pressed.
 */
export default function Callback({ loaderData: { next, refusal, token } }: Route.ComponentProps) {
  const client = useClient();
  const viewer = useViewer();
  const [wasVisitor] = useState(!viewer);
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  const [problem, setProblem] = useState<AuthProblem | undefined>(refusal && { code: refusal });

  useEffect(() => {
    if (refusal) return;
    let left = false;
    const finish = async () => {
      const { error } = await (await client()).auth.initialize();
      if (left) return;
      // The client takes the code out of the address when it has used it.
      const isUnused = new URL(location.href).searchParams.has('code');
      if (error) setProblem(findAuthProblem(error));
      else if (isUnused) setProblem({ code: 'link_expired' });
      else {
        if (next === recoveryPath) beginRecovery();
        await revalidate();
        // Sign-in leads on, once a second factor is shown where the account has one.
        const onward = withNext('/auth/sign-in', next);
        await navigate(isRecovering() ? recoveryPath : onward, { replace: true });
      }
    };
    void finish();
    return () => {
      left = true;
    };
  }, [client, navigate, next, refusal, revalidate]);

  if (problem && wasVisitor && token?.type === 'signup') {
    return <AcceptMail token={token} next={next} isElsewhere />;
  }
  if (!problem) {
    return <AccountPage title="Signing in…" intro={<output>One moment…</output>} />;
  }
  const code = problem.code === 'unexpected' ? 'link_expired' : problem.code;
  return (
    <AccountPage title="Something went wrong">
      <ErrorNotice code={code} details={problem.details}>
        <ButtonLink to={withNext('/auth/sign-in', next)} size="small">
          {viewer ? 'Go back' : 'Sign in'}
        </ButtonLink>
        {code === 'link_expired' && (
          <ButtonLink to="/auth/forgot" size="small">
            Request a new link
          </ButtonLink>
        )}
      </ErrorNotice>
    </AccountPage>
  );
}
