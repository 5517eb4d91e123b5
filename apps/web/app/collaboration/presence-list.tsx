import { isWaitingForRetry, watchRetries } from '@vitrine/project/retry-loading';
import { useSyncExternalStore } from 'react';
import { useAvatarUrl } from '../session/viewer.ts';
import { Avatar } from '../ui/avatar.tsx';
import type { WorkspaceSession } from '../workspace/session.ts';
import { useStore } from '../workspace/value-store.ts';
import type { PresentUser } from './user-profiles.ts';
import styles from './presence-list.module.css';
import { useCollaboration } from './use-collaboration.ts';

/** Avatars that fit in the bar. Further users are shown as a count. */
const maxAvatars = 4;

/**
 * Avatars of everyone who has the project open, once that is more than this tab, and the connection
 * state, which also says that code of the page couldn't be loaded.
 */
export function PresenceList({ session }: { session: WorkspaceSession }) {
  const collaboration = useCollaboration(session);
  const state = useStore(collaboration.state);
  const users = useStore(collaboration.presentUsers);
  const isOnline = useOnline();
  const isSaveStateOffline = useStore(session.saveStatus.state).status === 'offline';
  const isCodeMissing = useSyncExternalStore(watchRetries, isWaitingForRetry, () => false);
  if (state === 'disconnected' && !isCodeMissing) return null;
  const isLost = state === 'reconnecting' || isCodeMissing || !isOnline;
  const label = !isLost || isSaveStateOffline ? '' : isOnline ? 'Reconnecting…' : 'Offline';
  return (
    <div className={styles.presence}>
      <output
        aria-label="Connection"
        title={isCodeMissing ? 'Parts of this page haven’t loaded yet' : undefined}
        className={styles.connection}
      >
        {label}
      </output>
      {!isLost && <PresenceAvatars users={users} userId={session.userId} />}
    </div>
  );
}

function PresenceAvatars({
  users,
  userId,
}: {
  users: readonly PresentUser[];
  userId: string | null;
}) {
  const tabCount = users.reduce((sum, user) => sum + user.tabCount, 0);
  if (tabCount < 2) return null;
  const rest = users.slice(maxAvatars).map(({ name }) => name);
  return (
    <ul aria-label="People here" className={styles.avatars}>
      {users.slice(0, maxAvatars).map((user) => (
        <li key={user.id} title={describe(user, userId)} className={styles.avatar}>
          <UserAvatar user={user} />
          <span className={styles.name}>{describe(user, userId)}</span>
        </li>
      ))}
      {rest.length > 0 && (
        <li title={rest.join(', ')} className={styles.rest}>
          <span aria-hidden>+{rest.length}</span>
          <span className={styles.name}>{rest.join(', ')}</span>
        </li>
      )}
    </ul>
  );
}

function UserAvatar({ user }: { user: PresentUser }) {
  return <Avatar name={user.name} picture={useAvatarUrl(user)} />;
}

/** Ada with two tabs, seen by herself → "Ada (you), in 2 tabs". */
function describe({ id, name, tabCount }: PresentUser, userId: string | null): string {
  const who = id === userId ? `${name} (you)` : name;
  return tabCount > 1 ? `${who}, in ${tabCount} tabs` : who;
}

function useOnline(): boolean {
  return useSyncExternalStore(
    (changed) => {
      addEventListener('online', changed);
      addEventListener('offline', changed);
      return () => {
        removeEventListener('online', changed);
        removeEventListener('offline', changed);
      };
    },
    () => navigator.onLine,
    () => true,
  );
}
