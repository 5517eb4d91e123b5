import { useNavigate } from 'react-router';
import { requestContext } from '../request-context.ts';
import { withNext } from '../session/next-path.ts';
import { ButtonLink } from '../ui/button.tsx';
import type { Route } from './+types/sign-in';
import { findClaimant } from './account-details.server.ts';
import { MailSignIn } from './mail-sign-in.tsx';
import { OtherWays } from './other-ways.tsx';
import { PasswordSignIn } from './password-sign-in.tsx';
import { requireVisitor } from './require.server.ts';
import { SecondFactorStep } from './second-factor-step.tsx';
import { readSignInWays } from './sign-in-ways.server.ts';

export const meta: Route.MetaFunction = () => [{ title: 'Sign in — Vitrine' }];

export async function loader({ context, url }: Route.LoaderArgs) {
  const request = context.get(requestContext);
  const { next } = requireVisitor(request, url);
  const pendingMfaUser = await findClaimant(request);
  const options = await readSignInWays(request);
  const isByMail = url.searchParams.get('by') === 'mail';
  return { next, pendingMfaUser, options, isByMail, origin: request.origin };
}

export default function SignIn({ loaderData }: Route.ComponentProps) {
  const { next, pendingMfaUser, options, isByMail, origin } = loaderData;
  const navigate = useNavigate();
  // The loader then redirects to `next`, or asks for the MFA code if the account has MFA.
  const reload = () => navigate(withNext('/auth/sign-in', next), { replace: true });
  if (pendingMfaUser) return <SecondFactorStep user={pendingMfaUser} onVerified={reload} />;
  if (isByMail) {
    return (
      <MailSignIn
        next={next}
        origin={origin}
        mayBeUnverified={!options.confirmsEmail}
        mayJoin={options.isOpen}
        onSignedIn={reload}
      />
    );
  }
  return (
    <PasswordSignIn next={next} isOpen={options.isOpen} onSignedIn={reload}>
      <OtherWays providers={options.providers} origin={origin} next={next}>
        <ButtonLink to={`/auth/sign-in?${new URLSearchParams({ by: 'mail', next })}`}>
          Email me a sign-in link
        </ButtonLink>
      </OtherWays>
    </PasswordSignIn>
  );
}
