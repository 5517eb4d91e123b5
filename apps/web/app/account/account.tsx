import { requestContext } from '../request-context.ts';
import { useViewer } from '../session/viewer.ts';
import type { Route } from './+types/account';
import { findSignInMethods, readAccount } from './account-details.server.ts';
import { ChangeEmail } from './change-email.tsx';
import { ChangePassword } from './change-password.tsx';
import { DeleteSection } from './delete-section.tsx';
import { ExportSection } from './export-section.tsx';
import { PendingEmail } from './pending-email.tsx';
import { IdentitiesSection } from './identities-section.tsx';
import { requireMember } from './require.server.ts';
import { SecondFactorSection } from './second-factor-section.tsx';
import { readSignInWays } from './sign-in-ways.server.ts';
import styles from './settings.module.css';
import { VerifyEmail } from './verify-email.tsx';

export const meta: Route.MetaFunction = () => [{ title: 'Account — Vitrine' }];

export async function loader({ context, url }: Route.LoaderArgs) {
  const request = context.get(requestContext);
  requireMember(request, url);
  const account = await readAccount(request);
  const { providers, confirmsEmail } = await readSignInWays(request);
  return {
    account,
    methods: findSignInMethods(account),
    providers,
    isUnverified: !confirmsEmail && !account.isEmailVerified,
    isEmailConfirmed: url.searchParams.get('email') === 'confirmed',
    origin: request.origin,
  };
}

export default function Account({ loaderData }: Route.ComponentProps) {
  const { account, methods, providers, isUnverified, isEmailConfirmed, origin } = loaderData;
  const viewer = useViewer();
  if (!viewer) return null;
  return (
    <div className={styles.sections}>
      <section className={styles.section} aria-labelledby="sign-in-heading">
        <h2 id="sign-in-heading" className={styles.heading}>
          Sign-in
        </h2>
        {account.pendingEmail && (
          <PendingEmail
            key={account.pendingEmail}
            email={viewer.email}
            newEmail={account.pendingEmail}
            isOpened={isEmailConfirmed}
          />
        )}
        <ChangeEmail
          key={`beside ${account.pendingEmail}`}
          email={viewer.email}
          origin={origin}
          methods={methods}
        />
        {isUnverified && <VerifyEmail />}
        <ChangePassword email={viewer.email} username={viewer.username ?? ''} methods={methods} />
      </section>
      <IdentitiesSection
        identities={account.identities}
        methods={methods}
        providers={providers}
        origin={origin}
      />
      <SecondFactorSection methods={methods} />
      <ExportSection />
      <DeleteSection viewer={viewer} methods={methods} />
    </div>
  );
}
