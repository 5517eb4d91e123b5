import { useRouteLoaderData } from 'react-router';
import { usePageSettings } from './page-settings.ts';

/** The signed-in user. */
export interface Viewer {
  readonly id: string;
  readonly email: string;
  /** Null until it is chosen: accounts created by an OAuth provider or an email link have none. */
  readonly username: string | null;
  readonly displayName: string;
  /** Path in the bucket `avatars`, "ID/NAME.webp"; null to show initials. */
  readonly avatarPath: string | null;
  readonly role: 'member' | 'moderator' | 'admin';
  /** Suspended users can read and export, but not change anything. */
  readonly suspended: boolean;
  /** When the account will be deleted (ISO 8601), if the user requested it. */
  readonly deletionDueAt: string | null;
}

/** What the root loader returns about the session. */
export interface ViewerData {
  readonly viewer: Viewer | null;
  /** The user whose session still needs MFA; otherwise null. */
  readonly pendingMfaUserId: string | null;
}

/** The signed-in user, or null for a visitor and on a page whose root loader failed. */
export function useViewer(): Viewer | null {
  return useRouteLoaderData<ViewerData>('root')?.viewer ?? null;
}

/** The user id of this browser's session, whether MFA has passed or not; null without a session. */
export function useSessionUserId(): string | null {
  const root = useRouteLoaderData<ViewerData>('root');
  return root?.viewer?.id ?? root?.pendingMfaUserId ?? null;
}

/** The display name, or else the username or email. */
export function getViewerName(viewer: Viewer): string {
  return viewer.displayName || viewer.username || viewer.email;
}

/** Path of the public profile; of the settings if the user has no username yet. */
export function getProfilePath({ username }: Viewer): string {
  return username === null ? '/settings/profile' : `/@${username}`;
}

/** URL of a user's avatar, or undefined to show initials. */
export function useAvatarUrl({ avatarPath }: Pick<Viewer, 'avatarPath'>): string | undefined {
  const { backendUrl } = usePageSettings();
  return avatarPath === null
    ? undefined
    : `${backendUrl}/storage/v1/object/public/avatars/${avatarPath}`;
}
