import { useNavigate } from 'react-router';
import { requestContext } from '../../request-context.ts';
import { withNextPath } from '../../session/next-path.ts';
import { ButtonLink } from '../../ui/button.tsx';
import type { Route } from './+types/sign-in';
import { findPendingMfaUser } from '../settings/account-details.server.ts';
import { EmailSignIn } from './email-sign-in.tsx';
import { OtherSignInMethods } from './other-sign-in-methods.tsx';
import { PasswordSignIn } from './password-sign-in.tsx';
import { requireSignedOut } from './auth-guards.server.ts';
import { MfaStep } from './mfa-step.tsx';
import { getSignInOptions } from './sign-in-options.server.ts';

export const meta: Route.MetaFunction = () => [{ title: 'Sign in — Vitrine' }];

export async function loader({ context, url }: Route.LoaderArgs) {
  const request = context.get(requestContext);
  const { next } = requireSignedOut(request, url);
  const pendingMfaUser = await findPendingMfaUser(request);
  const options = await getSignInOptions(request);
  const isByMail = url.searchParams.get('by') === 'mail';
  return { next, pendingMfaUser, options, isByMail, origin: request.origin };
}

export default function SignIn({ loaderData }: Route.ComponentProps) {
  const { next, pendingMfaUser, options, isByMail, origin } = loaderData;
  const navigate = useNavigate();
  // The loader then redirects to `next`, or asks for the MFA code if the account has MFA.
  const goToNext = () => navigate(withNextPath('/auth/sign-in', next), { replace: true });
  if (pendingMfaUser) return <MfaStep user={pendingMfaUser} onVerified={goToNext} />;
  if (isByMail) {
    return (
      <EmailSignIn
        next={next}
        origin={origin}
        allowsUnverifiedEmail={!options.confirmsEmail}
        isSignUpOpen={options.isOpen}
        onSignedIn={goToNext}
      />
    );
  }
  return (
    <PasswordSignIn next={next} isSignUpOpen={options.isOpen} onSignedIn={goToNext}>
      <OtherSignInMethods providers={options.providers} origin={origin} next={next}>
        <ButtonLink to={`/auth/sign-in?${new URLSearchParams({ by: 'mail', next })}`}>
          Email me a sign-in link
        </ButtonLink>
      </OtherSignInMethods>
    </PasswordSignIn>
  );
}
