import { useEffect, useState } from 'react';
import { useNavigate, useRevalidator } from 'react-router';
import { findAuthProblem, type AuthProblem } from '../session/auth-problem.ts';
import { useClient } from '../session/use-client.ts';
import { readNext, withNext } from '../session/next-path.ts';
import { beginRecovery, isRecovering, recoveryPath } from '../session/recovery.ts';
import { ButtonLink } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import type { Route } from './+types/callback';
import { AccountPage } from './account-page.tsx';

export const meta: Route.MetaFunction = () => [
  { title: 'Signing in — Vitrine' },
  // The code in the address must not travel to wherever the next link leads.
  { name: 'referrer', content: 'no-referrer' },
];

export function loader({ url }: Route.LoaderArgs) {
  return { next: readNext(url) };
}

/**
 * Where mailed links arrive. The auth client exchanges the code when it is made, which needs the
 * verifier that this browser kept; a code that somebody else asked for stays unused.
 */
export default function Callback({ loaderData: { next } }: Route.ComponentProps) {
  const client = useClient();
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  const [problem, setProblem] = useState<AuthProblem>();

  useEffect(() => {
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
  }, [client, navigate, next, revalidate]);

  if (!problem) {
    return <AccountPage title="Signing in…" intro={<output>One moment.</output>} />;
  }
  return (
    <AccountPage title="That did not work">
      <ErrorNotice
        code={problem.code === 'unexpected' ? 'link_expired' : problem.code}
        details={problem.details}
      >
        <ButtonLink to="/auth/sign-in" size="small">
          Sign in
        </ButtonLink>
        <ButtonLink to="/auth/forgot" size="small">
          Ask for a new link
        </ButtonLink>
      </ErrorNotice>
    </AccountPage>
  );
}
