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
  const about = context.get(requestContext);
  const { next } = requireVisitor(about, url);
  const claimant = await findClaimant(about);
  const ways = await readSignInWays(about);
  const isByMail = url.searchParams.get('by') === 'mail';
  return { next, claimant, ways, isByMail, origin: about.origin };
}

export default function SignIn({ loaderData }: Route.ComponentProps) {
  const { next, claimant, ways, isByMail, origin } = loaderData;
  const navigate = useNavigate();
  // The loader leads on who is signed in, and asks for the second factor who has one.
  const enter = () => navigate(withNext('/auth/sign-in', next), { replace: true });
  if (claimant) return <SecondFactorStep claimant={claimant} onShown={enter} />;
  if (isByMail) {
    return (
      <MailSignIn
        next={next}
        origin={origin}
        mayBeUnverified={!ways.confirmsEmail}
        mayJoin={ways.isOpen}
        onSignedIn={enter}
      />
    );
  }
  return (
    <PasswordSignIn next={next} isOpen={ways.isOpen} onSignedIn={enter}>
      <OtherWays providers={ways.providers} origin={origin} next={next}>
        <ButtonLink to={`/auth/sign-in?${new URLSearchParams({ by: 'mail', next })}`}>
          Email me a sign-in link
        </ButtonLink>
      </OtherWays>
    </PasswordSignIn>
  );
}
