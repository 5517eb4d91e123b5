import LogOut from 'lucide-react/icons/log-out';
import Settings from 'lucide-react/icons/settings';
import SunMoon from 'lucide-react/icons/sun-moon';
import UserRound from 'lucide-react/icons/user-round';
import { useLocation, useNavigate } from 'react-router';
import { useClient } from '../../session/use-client.ts';
import { parseNextPath, withNextPath } from '../../session/next-path.ts';
import { signOut } from '../../session/sign-out.ts';
import { getProfilePath, useAvatarUrl, getViewerName, type Viewer } from '../../session/viewer.ts';
import styles from './account-menu.module.css';
import { Avatar } from '../avatar.tsx';
import { ButtonLink } from '../button.tsx';
import { IconButton } from '../icon-button.tsx';
import { Menu, MenuItem, MenuLink, MenuNote, MenuSeparator } from '../menu.tsx';
import { ThemeMenuGroup } from '../theme/theme-menu-group.tsx';
import { showErrorToast } from '../toast.tsx';

interface AccountMenuProps {
  viewer: Viewer;
  /** The accessible name of the button. */
  label?: string;
}

/** The signed-in user's menu. */
export function AccountMenu({ viewer, label }: AccountMenuProps) {
  const name = getViewerName(viewer);
  const picture = useAvatarUrl(viewer);
  const signOutHere = useSignOut();
  return (
    <Menu
      trigger={
        <button
          type="button"
          className={styles.trigger}
          aria-label={label ?? `Account menu for ${name}`}
        >
          <Avatar name={name} picture={picture} />
        </button>
      }
    >
      <MenuNote>
        <span className={styles.name}>{name}</span>
        {name === viewer.email ? null : <span className={styles.email}>{viewer.email}</span>}
      </MenuNote>
      <MenuSeparator />
      <MenuLink to={getProfilePath(viewer)} icon={<UserRound aria-hidden />}>
        Profile
      </MenuLink>
      <MenuLink to="/settings" icon={<Settings aria-hidden />}>
        Settings
      </MenuLink>
      <MenuSeparator />
      <ThemeMenuGroup />
      <MenuSeparator />
      <MenuItem icon={<LogOut aria-hidden />} onSelect={signOutHere}>
        Sign out
      </MenuItem>
    </Menu>
  );
}

/** A visitor's menu: theme and sign-in. */
export function VisitorMenu() {
  const { pathname, search } = useLocation();
  const next = pathname.startsWith('/auth/')
    ? parseNextPath(new URLSearchParams(search).get('next'))
    : pathname + search;
  return (
    <>
      <Menu
        trigger={
          <IconButton label="Theme" size="small">
            <SunMoon aria-hidden />
          </IconButton>
        }
      >
        <ThemeMenuGroup />
      </Menu>
      <ButtonLink to={withNextPath('/auth/sign-in', next)} size="small" variant="quiet">
        Sign in
      </ButtonLink>
      <ButtonLink
        to={withNextPath('/auth/sign-up', next)}
        size="small"
        variant="quiet"
        className={styles.signUp}
      >
        Sign up
      </ButtonLink>
    </>
  );
}

/** Returns a function that signs out this session and goes to the home page. */
export function useSignOut(): () => void {
  const getClient = useClient();
  const navigate = useNavigate();
  const signOutHere = async () => {
    const failure = await signOut(await getClient(), 'local');
    // The device is signed out even if the request failed.
    if (failure && failure.code !== 'session_expired') showErrorToast(failure.code);
    await navigate('/');
  };
  return () => void signOutHere();
}
