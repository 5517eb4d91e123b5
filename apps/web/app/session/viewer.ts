import { useRouteLoaderData } from 'react-router';
import type { loader } from '../root.tsx';
import { usePageSettings } from './page-settings.ts';

/** Who is signed in. */
export interface Viewer {
  readonly id: string;
  readonly email: string;
  /** Null until it is chosen, which accounts made outside our sign-up can be. */
  readonly username: string | null;
  readonly displayName: string;
  /** In the bucket of pictures: "ID/NAME.webp"; null for initials. */
  readonly avatarPath: string | null;
  readonly role: 'member' | 'moderator' | 'admin';
  /** May read and export, and change nothing. */
  readonly suspended: boolean;
  /** When the account is deleted, where that was asked for. */
  readonly leavesAt: string | null;
}

/** Who is signed in, or null for a visitor; also null where the page could not be loaded. */
export function useViewer(): Viewer | null {
  return useRouteLoaderData<typeof loader>('root')?.viewer ?? null;
}

/** Whose session this browser has, the second factor shown or not; null for nobody’s. */
export function useSessionPerson(): string | null {
  const root = useRouteLoaderData<typeof loader>('root');
  return root?.viewer?.id ?? root?.claimantId ?? null;
}

/** What others call this person. */
export function viewerName(viewer: Viewer): string {
  return viewer.displayName || viewer.username || viewer.email;
}

/** Where everyone sees a user's profile; for who has no username yet, where they choose one. */
export function profilePath({ username }: Viewer): string {
  return username === null ? '/settings/profile' : `/@${username}`;
}

/** Where a person's picture is; undefined for who has none. */
export function usePictureAddress({ avatarPath }: Pick<Viewer, 'avatarPath'>): string | undefined {
  const { backendUrl } = usePageSettings();
  return avatarPath === null
    ? undefined
    : `${backendUrl}/storage/v1/object/public/avatars/${avatarPath}`;
}
