import { requestContext } from '../request-context.ts';
import { useViewer } from '../session/viewer.ts';
import type { Route } from './+types/account';
import { readAccount } from './account-details.server.ts';
import { EmailForm, PasswordForm } from './credentials.tsx';
import { requireMember } from './require.server.ts';
import { SecondFactorSection } from './second-factor-section.tsx';
import styles from './settings.module.css';

export const meta: Route.MetaFunction = () => [{ title: 'Account — Vitrine' }];

export async function loader({ context, url }: Route.LoaderArgs) {
  const about = context.get(requestContext);
  requireMember(about, url);
  return { account: await readAccount(about), origin: about.origin };
}

export default function Account({ loaderData: { account, origin } }: Route.ComponentProps) {
  const viewer = useViewer();
  if (!viewer) return null;
  return (
    <div className={styles.sections}>
      <section className={styles.section} aria-labelledby="sign-in-heading">
        <h2 id="sign-in-heading" className={styles.heading}>
          Sign-in
        </h2>
        <EmailForm email={viewer.email} origin={origin} />
        <PasswordForm email={viewer.email} username={viewer.username ?? ''} />
      </section>
      <SecondFactorSection authenticators={account.authenticators} />
    </div>
  );
}
