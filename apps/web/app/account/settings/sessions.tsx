import { requestContext } from '../../request-context.ts';
import { routeError } from '../../ui/page/route-error.ts';
import type { Route } from './+types/sessions';
import { useRowFocus } from '../../ui/lists/row-focus.ts';
import { requireSignedIn } from '../auth/auth-guards.server.ts';
import { parseSession, SessionList } from './session-list.tsx';
import styles from './settings.module.css';

export const meta: Route.MetaFunction = () => [{ title: 'Sessions — Vitrine' }];

export async function loader({ context, url }: Route.LoaderArgs) {
  const request = context.get(requestContext);
  requireSignedIn(request, url);
  const { data, error } = await request.supabase.rpc('my_sessions');
  if (error || !Array.isArray(data)) throw routeError('backend_unreachable');
  return { sessions: data.map(parseSession) };
}

export default function Sessions({ loaderData: { sessions } }: Route.ComponentProps) {
  return (
    <div ref={useRowFocus<HTMLDivElement>()} className={styles.sections}>
      <SessionList sessions={sessions} />
    </div>
  );
}
