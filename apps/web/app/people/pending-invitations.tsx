import { findErrorCode, isUnreachable } from '@vitrine/project';
import { useState } from 'react';
import { useNavigate, useRevalidator } from 'react-router';
import { useAvatarUrl } from '../session/viewer.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { showErrorToast, showToast } from '../ui/toast.tsx';
import { describeInvitation } from './describe-invitation.ts';
import { usePeopleApi } from './people-api.ts';
import { getPersonName, type ReceivedInvitation } from './people.ts';
import styles from './pending-invitations.module.css';
import rows from '../ui/lists/row-list.module.css';

interface PendingInvitationsProps {
  invitations: readonly ReceivedInvitation[];
}

/** The user's pending invitations, each to accept or decline. Nothing if there are none. */
export function PendingInvitations({ invitations }: PendingInvitationsProps) {
  if (invitations.length === 0) return null;
  return (
    <section className={styles.section} aria-label="Invitations">
      <h2 className={styles.heading}>Invitations</h2>
      <ul className={rows.list} aria-label="Invitations">
        {invitations.map((invitation) => (
          <InvitationRow key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </section>
  );
}

function InvitationRow({ invitation }: { invitation: ReceivedInvitation }) {
  const { id, inviter, title, role, expiresAt } = invitation;
  const api = usePeopleApi();
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  const [busyButton, setBusyButton] = useState<'accept' | 'decline'>();

  async function run(button: 'accept' | 'decline', action: () => Promise<void>): Promise<void> {
    setBusyButton(button);
    try {
      await action();
    } catch (error) {
      const code = findErrorCode(error);
      showErrorToast(code);
      // It may have ended meanwhile. Without a connection, the page would become an error.
      if (!isUnreachable(code)) await revalidate();
    }
    setBusyButton(undefined);
  }

  const accept = () =>
    run('accept', async () => {
      const { path } = await api.accept(id);
      await navigate(path);
    });
  const decline = () =>
    run('decline', async () => {
      await api.decline(id);
      await revalidate();
      showToast({ title: 'Invitation declined' });
    });

  return (
    <li className={rows.row}>
      <Avatar name={getPersonName(inviter)} picture={useAvatarUrl(inviter)} size={32} />
      <span className={rows.text}>
        <span className={rows.name}>{describeInvitation(invitation)}</span>
        <span className={rows.detail}>
          Expires <RelativeTime at={expiresAt} />
        </span>
      </span>
      <span className={rows.buttons}>
        <Button
          size="small"
          busy={busyButton === 'decline'}
          aria-label={`Decline invitation to ${title}`}
          onClick={() => void decline()}
        >
          Decline
        </Button>
        <Button
          size="small"
          variant="primary"
          busy={busyButton === 'accept'}
          aria-label={`Accept ${role === 'owner' ? 'ownership of' : 'invitation to'} ${title}`}
          onClick={() => void accept()}
        >
          Accept
        </Button>
      </span>
    </li>
  );
}
