import { requestContext } from '../request-context.ts';
import { useViewer } from '../session/viewer.ts';
import { routeError } from '../ui/route-error.ts';
import type { Route } from './+types/sessions';
import { EmailForm, PasswordForm } from './credentials.tsx';
import { DeleteSection } from './delete-section.tsx';
import { ExportSection } from './export-section.tsx';
import { requireMember } from './require.server.ts';
import { parseSession, SessionList } from './session-list.tsx';
import styles from './settings.module.css';

export const meta: Route.MetaFunction = () => [{ title: 'Account and sessions — Vitrine' }];

export async function loader({ context, url }: Route.LoaderArgs) {
  const about = context.get(requestContext);
  requireMember(about, url);
  const { data, error } = await about.supabase.rpc('my_sessions');
  if (error || !Array.isArray(data)) throw routeError('backend_unreachable');
  return { sessions: data.map(parseSession), origin: about.origin };
}

export default function Sessions({ loaderData: { sessions, origin } }: Route.ComponentProps) {
  const viewer = useViewer();
  if (!viewer) return null;
  return (
    <div className={styles.sections}>
      <SessionList sessions={sessions} />
      <section className={styles.section} aria-labelledby="sign-in-heading">
        <h2 id="sign-in-heading" className={styles.heading}>
          Sign-in
        </h2>
        <EmailForm email={viewer.email} origin={origin} />
        <PasswordForm email={viewer.email} username={viewer.username ?? ''} />
      </section>
      <ExportSection />
      <DeleteSection viewer={viewer} />
    </div>
  );
}
