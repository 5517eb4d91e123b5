import { NavLink, Outlet, redirect } from 'react-router';
import { requestContext } from '../../request-context.ts';
import type { Route } from './+types/settings';
import { requireSignedIn } from '../auth/auth-guards.server.ts';
import styles from './settings.module.css';

export function loader({ context, url }: Route.LoaderArgs) {
  requireSignedIn(context.get(requestContext), url);
  if (/^\/settings\/?$/.test(url.pathname)) throw redirect('/settings/profile');
  return null;
}

export default function Settings() {
  return (
    <div className={styles.page}>
      <h1 className={styles.title}>Settings</h1>
      <nav aria-label="Settings" className={styles.links}>
        <NavLink to="/settings/profile" className={styles.link ?? ''}>
          Profile
        </NavLink>
        <NavLink to="/settings/account" className={styles.link ?? ''}>
          Account
        </NavLink>
        <NavLink to="/settings/sessions" className={styles.link ?? ''}>
          Sessions
        </NavLink>
      </nav>
      <Outlet />
    </div>
  );
}
