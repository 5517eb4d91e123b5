import { findErrorCode, isUnreachable, type ErrorCode } from '@vitrine/project';
import Ellipsis from 'lucide-react/icons/ellipsis';
import LinkIcon from 'lucide-react/icons/link';
import Mail from 'lucide-react/icons/mail';
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { useAvatarUrl } from '../session/viewer.ts';
import { Avatar } from '../ui/avatar.tsx';
import { ActionButton, Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { formatDay } from '../ui/relative-time.tsx';
import { useRowFocus } from '../ui/lists/row-focus.ts';
import { Select } from '../ui/select.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { showErrorToast, showToast } from '../ui/toast.tsx';
import type { WorkspaceSession } from '../workspace/session.ts';
import type { ProjectIdentity } from '../workspace/sharing/identity.ts';
import { InviteForm, roleOptions } from './invite-form.tsx';
import { usePeopleApi, type PeopleApi } from './people-api.ts';
import {
  getPersonName,
  roleNames,
  type Member,
  type People,
  type Person,
  type SentInvitation,
} from './people.ts';
import styles from './people-section.module.css';

interface PeopleSectionProps {
  session: WorkspaceSession;
  project: ProjectIdentity;
}

type Loading =
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly code: ErrorCode }
  | { readonly status: 'loaded'; readonly people: People };

/** Runs a change of the project's people, then loads them again. Shows a toast if it fails. */
type Change = (action: () => Promise<unknown>, done?: string) => Promise<void>;

/** Section of the share dialog: who works on the project, and for its owner whom they invited. */
export default function PeopleSection({ session, project }: PeopleSectionProps) {
  const api = usePeopleApi();
  const { loading, reload } = usePeople(api, session, project.id);

  const change: Change = async (action, done) => {
    try {
      await action();
      if (done !== undefined) showToast({ title: done });
    } catch (error) {
      showErrorToast(findErrorCode(error));
    }
    await reload();
  };

  return (
    <section ref={useRowFocus<HTMLElement>()} className={styles.section} aria-label="People">
      <h3 className={styles.heading}>People</h3>
      {loading.status === 'loading' && <PeopleSkeleton />}
      {loading.status === 'failed' && (
        <ErrorNotice code={loading.code}>
          <Button size="small" onClick={() => void reload()}>
            Try again
          </Button>
        </ErrorNotice>
      )}
      {loading.status === 'loaded' && (
        <LoadedPeople {...{ api, session, project, change }} people={loading.people} />
      )}
    </section>
  );
}

/** Placeholder for the list of people. */
export function PeopleSkeleton() {
  return (
    <div className={styles.skeleton} aria-busy>
      <Skeleton width="60%" />
      <Skeleton width="45%" />
    </div>
  );
}

/** Loads the people when the section is shown, and again when the server announces a change. */
function usePeople(api: PeopleApi, session: WorkspaceSession, project: string) {
  const [loading, setLoading] = useState<Loading>({ status: 'loading' });
  /** Number of the last request. An earlier one may be answered later, with what was before. */
  const last = useRef(0);
  const reload = useCallback(async () => {
    const number = (last.current += 1);
    try {
      const people = await api.list(project);
      if (number === last.current) setLoading({ status: 'loaded', people });
    } catch (error) {
      if (number !== last.current) return;
      const code = findErrorCode(error);
      // What was loaded before stays while there is no connection.
      setLoading((current) =>
        current.status === 'loaded' && isUnreachable(code) ? current : { status: 'failed', code },
      );
    }
  }, [api, project]);
  useEffect(() => {
    const load = async () => reload();
    void load();
    return session.memberChanges.subscribe(() => void load());
  }, [reload, session]);
  return { loading, reload };
}

interface LoadedPeopleProps extends PeopleSectionProps {
  api: PeopleApi;
  people: People;
  change: Change;
}

function LoadedPeople({ api, session, project, people, change }: LoadedPeopleProps) {
  const { owner, members, invitations, role } = people;
  const [newOwner, setNewOwner] = useState<Person>();
  const [removed, setRemoved] = useState<Person>();
  const isOwner = role === 'owner';
  const { userId } = session;
  const offerOwnership = ({ username }: Person) =>
    change(
      () => api.inviteUser(project.id, username, { role: 'owner', days: 7 }),
      `Offered ownership to @${username}`,
    );
  return (
    <>
      {isOwner && <InviteForm api={api} project={project.id} onInvited={() => change(nothing)} />}
      <ul className={styles.list} aria-label="Members">
        <PersonRow person={owner} isUser={owner.id === userId}>
          <span className={styles.role}>{roleNames.owner}</span>
        </PersonRow>
        {members.map((member) => (
          <PersonRow key={member.id} person={member} isUser={member.id === userId}>
            {isOwner ? (
              <MemberControls
                member={member}
                project={project}
                api={api}
                change={change}
                onTransfer={() => setNewOwner(member)}
                onRemove={() => setRemoved(member)}
              />
            ) : (
              <span className={styles.role}>{roleNames[member.role]}</span>
            )}
          </PersonRow>
        ))}
      </ul>
      {invitations.length > 0 && (
        <>
          <h4 className={styles.subheading}>Pending invitations</h4>
          <ul className={styles.list} aria-label="Pending invitations">
            {invitations.map((invitation) => (
              <InvitationRow
                key={invitation.id}
                invitation={invitation}
                onRevoke={() => change(() => api.revoke(invitation.id), 'Invitation revoked')}
              />
            ))}
          </ul>
        </>
      )}
      {!isOwner && <LeaveButton session={session} project={project} api={api} />}
      <ConfirmDialog
        open={newOwner !== undefined}
        onClose={() => setNewOwner(undefined)}
        title={`Transfer “${project.title}”?`}
        description={
          newOwner
            ? `${getPersonName(newOwner)} will become the owner if they accept within 7 days. You’ll stay on as an editor, and only they can transfer it back.`
            : ''
        }
        action="Offer ownership"
        onConfirm={async () => {
          if (newOwner) await offerOwnership(newOwner);
        }}
      />
      <ConfirmDialog
        open={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        title={removed ? `Remove ${getPersonName(removed)}?` : ''}
        description={
          removed
            ? `@${removed.username} loses access to “${project.title}” right away. They’ll need a new invitation to rejoin.`
            : ''
        }
        action="Remove"
        onConfirm={async () => {
          if (removed)
            await change(() => api.remove(project.id, removed.id), `Removed @${removed.username}`);
        }}
      />
    </>
  );
}

const nothing = () => Promise.resolve();

interface PersonRowProps {
  person: Person;
  isUser: boolean;
  children: ReactNode;
}

function PersonRow({ person, isUser, children }: PersonRowProps) {
  return (
    <li className={styles.row}>
      <Avatar name={getPersonName(person)} picture={useAvatarUrl(person)} size={32} />
      <span className={styles.names}>
        <span className={styles.name}>
          <bdi>{getPersonName(person)}</bdi>
          {isUser && ' (you)'}
        </span>
        <span className={styles.detail}>@{person.username}</span>
      </span>
      {children}
    </li>
  );
}

interface MemberControlsProps {
  member: Member;
  project: ProjectIdentity;
  api: PeopleApi;
  change: Change;
  onTransfer: () => void;
  onRemove: () => void;
}

/** Role and menu of a member, for the owner. */
function MemberControls(props: MemberControlsProps) {
  const { member, project, api, change, onTransfer, onRemove } = props;
  const name = getPersonName(member);
  return (
    <span className={styles.controls}>
      <Select
        label={`${name}’s access`}
        labelHidden
        size="small"
        value={member.role}
        options={roleOptions}
        onChange={(role) =>
          role !== member.role && void change(() => api.setRole(project.id, member.id, role))
        }
      />
      <Menu
        trigger={
          <IconButton label={`Actions for ${name}`} size="small">
            <Ellipsis aria-hidden />
          </IconButton>
        }
      >
        <MenuItem onSelect={onTransfer}>Transfer ownership…</MenuItem>
        <MenuSeparator />
        <MenuItem danger onSelect={onRemove}>
          Remove from project…
        </MenuItem>
      </Menu>
    </span>
  );
}

interface InvitationRowProps {
  invitation: SentInvitation;
  onRevoke: () => Promise<void>;
}

function InvitationRow({ invitation, onRevoke }: InvitationRowProps) {
  const { kind, role, user, email, uses, expiresAt } = invitation;
  const name = user ? `@${user.username}` : (email ?? 'Anyone with the link');
  const details = [
    role === 'owner' ? 'Offered ownership' : roleNames[role],
    kind === 'link' && uses > 0 && `used ${uses === 1 ? 'once' : `${uses} times`}`,
    `expires ${formatDay(new Date(expiresAt), new Date())}`,
  ];

  return (
    <li className={styles.row}>
      <span className={styles.icon}>
        {user ? (
          <InvitedAvatar user={user} />
        ) : kind === 'link' ? (
          <LinkIcon aria-hidden />
        ) : (
          <Mail aria-hidden />
        )}
      </span>
      <span className={styles.names}>
        <span className={styles.name}>{name}</span>
        <span className={styles.detail}>{details.filter(Boolean).join(' · ')}</span>
      </span>
      <ActionButton size="small" aria-label={`Revoke invitation: ${name}`} onPress={onRevoke}>
        Revoke
      </ActionButton>
    </li>
  );
}

function InvitedAvatar({ user }: { user: Person }) {
  return <Avatar name={getPersonName(user)} picture={useAvatarUrl(user)} size={32} />;
}

/** Button and dialog with which a member leaves the project. */
function LeaveButton({ session, project, api }: PeopleSectionProps & { api: PeopleApi }) {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();

  async function leave(): Promise<void> {
    // Afterwards the server no longer takes these edits.
    await session.flush();
    await api.leave(project.id);
    await navigate('/work');
    showToast({ title: `You left “${project.title}”` });
  }

  return (
    <div className={styles.leave}>
      <Button size="small" onClick={() => setOpen(true)}>
        Leave project
      </Button>
      <ConfirmDialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title={`Leave “${project.title}”?`}
        description="You’ll need a new invitation from its owner to rejoin."
        action="Leave"
        onConfirm={leave}
      />
    </div>
  );
}
