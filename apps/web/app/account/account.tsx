import { requestContext } from '../request-context.ts';
import { useViewer } from '../session/viewer.ts';
import type { Route } from './+types/account';
import { readAccount } from './account-details.server.ts';
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

export const meta: Route.MetaFunction = () => [{ title: 'Account — Vitrine' }];

export async function loader({ context, url }: Route.LoaderArgs) {
  const about = context.get(requestContext);
  requireMember(about, url);
  return {
    account: await readAccount(about),
    providers: (await readSignInWays(about)).providers,
    isEmailConfirmed: url.searchParams.get('email') === 'confirmed',
    origin: about.origin,
  };
}

export default function Account({ loaderData }: Route.ComponentProps) {
  const { account, providers, isEmailConfirmed, origin } = loaderData;
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
            wanted={account.pendingEmail}
            isOpened={isEmailConfirmed}
          />
        )}
        <ChangeEmail key={`beside ${account.pendingEmail}`} email={viewer.email} origin={origin} />
        <ChangePassword email={viewer.email} username={viewer.username ?? ''} />
      </section>
      <IdentitiesSection identities={account.identities} providers={providers} origin={origin} />
      <SecondFactorSection authenticators={account.authenticators} />
      <ExportSection />
      <DeleteSection viewer={viewer} authenticators={account.authenticators} />
    </div>
  );
}
