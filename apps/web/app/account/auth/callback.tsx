import { useEffect, useState } from 'react';
import { useNavigate, useRevalidator } from 'react-router';
import { toAuthFailure, type AuthFailure } from '../../session/auth-failure.ts';
import { useClient } from '../../session/use-client.ts';
import { getNextPath, withNextPath } from '../../session/next-path.ts';
import { startRecovery, isRecovering, recoveryPath } from '../../session/recovery.ts';
import { useViewer } from '../../session/viewer.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import type { Route } from './+types/callback';
import { AcceptEmailLink, findEmailLinkToken } from './accept-email-link.tsx';
import { AuthPage } from './auth-page.tsx';
import { findCallbackError } from '../../session/callback-errors.ts';

export const meta: Route.MetaFunction = () => [
  { title: 'Signing in — Vitrine' },
  // The code in the URL must not leak in a Referer header.
  { name: 'referrer', content: 'no-referrer' },
];

export function loader({ url }: Route.LoaderArgs) {
  const { searchParams } = url;
  return {
    next: getNextPath(url),
    refusal: findCallbackError(searchParams),
    token: findEmailLinkToken(searchParams),
  };
}

/**
 * Landing page of email links and OAuth providers. The auth client exchanges the code as soon as it
 * is created, which needs the PKCE verifier stored in this browser; a code requested by another
 * browser can't be exchanged here. A sign-up link opened in another browser also carries a token, which a
 * button redeems.
 */
export default function Callback({ loaderData: { next, refusal, token } }: Route.ComponentProps) {
  const getClient = useClient();
  const viewer = useViewer();
  const [wasSignedOut] = useState(!viewer);
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  const [failure, setFailure] = useState<AuthFailure | undefined>(refusal && { code: refusal });

  useEffect(() => {
    if (refusal) return;
    let isUnmounted = false;
    const finish = async () => {
      const { error } = await (await getClient()).auth.initialize();
      if (isUnmounted) return;
      // The client removes the code from the URL once it has used it.
      const isCodeUnused = new URL(location.href).searchParams.has('code');
      if (error) setFailure(toAuthFailure(error));
      else if (isCodeUnused) setFailure({ code: 'link_expired' });
      else {
        if (next === recoveryPath) startRecovery();
        await revalidate();
        // The sign-in page asks for an MFA code if the account has one, then redirects to `next`.
        const signInPath = withNextPath('/auth/sign-in', next);
        await navigate(isRecovering() ? recoveryPath : signInPath, { replace: true });
      }
    };
    void finish();
    return () => {
      isUnmounted = true;
    };
  }, [getClient, navigate, next, refusal, revalidate]);

  if (failure && wasSignedOut && token?.type === 'signup') {
    return <AcceptEmailLink token={token} next={next} isOtherBrowser />;
  }
  if (!failure) {
    return <AuthPage title="Signing in…" intro={<output>One moment…</output>} />;
  }
  const code = failure.code === 'unexpected' ? 'link_expired' : failure.code;
  return (
    <AuthPage title="Something went wrong">
      <ErrorNotice code={code} details={failure.details}>
        <ButtonLink to={withNextPath('/auth/sign-in', next)} size="small">
          {viewer ? 'Go back' : 'Sign in'}
        </ButtonLink>
        {code === 'link_expired' && !viewer && (
          <ButtonLink to={getRequestPath(next)} size="small">
            Request a new link
          </ButtonLink>
        )}
      </ErrorNotice>
    </AuthPage>
  );
}

/**
 * The page that sends another link like the expired one: a password reset, or a sign-in, which also
 * confirms the address of a new account.
 */
function getRequestPath(next: string): string {
  if (next === recoveryPath) return '/auth/forgot';
  return `/auth/sign-in?${new URLSearchParams({ by: 'mail', next })}`;
}
