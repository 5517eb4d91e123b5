import { errorCatalog, findErrorCode, limits, type ErrorCode } from '@vitrine/project';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { CopyField } from '../ui/copy-field.tsx';
import { formatDay } from '../ui/relative-time.tsx';
import { Select } from '../ui/select.tsx';
import type { WorkspaceSession } from '../workspace/session.ts';
import { expiryOptions, roleOptions } from './invite-form.tsx';
import { usePeopleApi } from './people-api.ts';
import type { MemberRole } from './people.ts';
import styles from './invitation-link.module.css';

interface InvitationLinkProps {
  session: WorkspaceSession;
  /** The project's id. */
  project: string;
}

/** Creates a link with which several people can join. It's shown once. */
export default function InvitationLink({ session, project }: InvitationLinkProps) {
  const api = usePeopleApi();
  const [role, setRole] = useState<MemberRole>('editor');
  const [days, setDays] = useState(String(limits.invitationDays));
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ErrorCode>();
  const [created, setCreated] = useState<{ link: string; note: string }>();

  async function create(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      const { path, expiresAt } = await api.createLink(project, { role, days: Number(days) });
      const until = formatDay(new Date(expiresAt), new Date());
      setCreated({
        link: new URL(path, location.origin).href,
        note: `Anyone who signs in with it joins as ${role === 'editor' ? 'an editor' : 'a viewer'}, until ${until}. Copy it now: it won’t be shown again.`,
      });
      // The list of pending invitations is loaded again.
      session.memberChanges.set(session.memberChanges.get() + 1);
    } catch (failure) {
      setError(findErrorCode(failure));
    }
    setBusy(false);
  }

  if (created)
    return (
      <CopyField
        key={created.link}
        label="Invitation link"
        value={created.link}
        description={created.note}
        copyLabel="Copy"
        aside={
          <button type="button" className={styles.again} onClick={() => setCreated(undefined)}>
            New link
          </button>
        }
      />
    );
  return (
    <div className={styles.row}>
      <p className={styles.label}>
        <span className={styles.name}>Invitation link</span>
        <output className={error ? styles.error : styles.note}>
          {error ? errorCatalog[error].message : 'Lets several people join.'}
        </output>
      </p>
      <div className={styles.terms}>
        <Select
          label="Link access"
          labelHidden
          value={role}
          options={roleOptions}
          onChange={setRole}
        />
        <Select
          label="Link lifetime"
          labelHidden
          value={days}
          options={expiryOptions}
          onChange={setDays}
        />
        <Button busy={isBusy} onClick={() => void create()}>
          Create link
        </Button>
      </div>
    </div>
  );
}
