import { describeError, findErrorCode, type ErrorCode } from '@vitrine/project';
import { useId, useState } from 'react';
import { useNavigate } from 'react-router';
import { getPersonName, type Profile } from '../../people/people.ts';
import { saveParameter } from '../../session/next-path.ts';
import { useAvatarUrl } from '../../session/viewer.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { showErrorToast, showToast } from '../../ui/toast.tsx';
import type { VersionReason } from '../saving/project-api.ts';
import type { WorkspaceSession } from '../session.ts';
import { canSave, getWorkspacePath, type ProjectIdentity } from '../sharing/identity.ts';
import type { OpenFiles } from '../tabs/open-files.ts';
import { ChangedFile } from './changed-file.tsx';
import styles from './history-view.module.css';
import type { ProjectHistory } from './project-history.ts';
import type { ListedVersion } from './versions.ts';

interface VersionRowProps {
  history: ProjectHistory;
  session: WorkspaceSession;
  openFiles: OpenFiles;
  project: ProjectIdentity;
  version: ListedVersion;
  onCompare: () => void;
}

/** Title of a version that the user didn't name. */
const reasonTitles: Readonly<Record<Exclude<VersionReason, 'named'>, string>> = {
  publish: 'Published',
  restore: 'Before a restore',
  import: 'Before an import',
  fork: 'Forked',
  pause: 'Autosave',
};

/** A version in the timeline. Its details open below it. Automatic ones are quieter. */
export function VersionRow(props: VersionRowProps) {
  const { project, version } = props;
  const { number, reason, message, author, createdAt } = version;
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const isAutomatic = reason !== 'named' && reason !== 'publish';
  const title = message !== '' ? message : reason === 'named' ? '' : reasonTitles[reason];
  return (
    <li
      aria-label={`Version ${number}`}
      className={styles.row}
      data-automatic={isAutomatic || undefined}
    >
      <button
        type="button"
        className={styles.summary}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <AuthorAvatar author={author} />
        <span className={styles.text}>
          <span className={styles.title}>
            <span>Version {number}</span>
            {title !== '' && <span className={styles.message}>{title}</span>}
            {project.publishedVersion === number && <span className={styles.badge}>Published</span>}
          </span>
          <span className={styles.meta}>
            {author ? getPersonName(author) : 'Deleted account'} · <RelativeTime at={createdAt} />
          </span>
        </span>
      </button>
      {isOpen && (
        <div id={id} className={styles.details}>
          <ChangedFiles {...props} />
          <VersionActions {...props} />
        </div>
      )}
    </li>
  );
}

function AuthorAvatar({ author }: { author: Profile | null }) {
  const picture = useAvatarUrl({ avatarPath: author?.avatarPath ?? null });
  return <Avatar name={author ? getPersonName(author) : ''} picture={picture} size={20} />;
}

function ChangedFiles({ version, openFiles }: VersionRowProps) {
  const { number, previous, changed, changedCount } = version;
  if (changed.length === 0) return <p className={styles.note}>No files changed.</p>;
  const hidden = changedCount - changed.length;
  return (
    <>
      <ul aria-label={`Files changed in version ${number}`} className={styles.files}>
        {changed.map(({ path, kind }) => (
          <ChangedFile
            key={path}
            {...{ path, kind }}
            onOpen={() =>
              openFiles.openReadOnly(
                previous === null
                  ? { kind: 'version', number, path }
                  : { kind: 'diff', from: previous, to: number, path },
              )
            }
          />
        ))}
      </ul>
      {hidden > 0 && <p className={styles.note}>And {hidden} more. Compare to see them all.</p>}
    </>
  );
}

function VersionActions({ history, session, project, version, onCompare }: VersionRowProps) {
  const { number } = version;
  const navigate = useNavigate();
  const [isConfirming, setConfirming] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const isPublished = project.publishedVersion === number;

  async function perform(work: () => Promise<void>): Promise<void> {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      showErrorToast(findErrorCode(error));
    }
    setBusy(false);
  }

  async function fork(): Promise<void> {
    const id = await history.fork(number);
    await navigate(`/draft/${id}${session.user ? `?${saveParameter}=private` : ''}`);
  }

  async function publish(): Promise<void> {
    await history.publish(isPublished ? null : number);
    showToast({
      title: isPublished ? 'Unpublished' : `Published version ${number}`,
      ...(!isPublished &&
        project.visibility === 'private' && {
          description: 'Only people in this project can see it while it’s private.',
        }),
    });
  }

  return (
    <div className={styles.actions}>
      {canSave(project) && (
        <Button size="small" onClick={() => setConfirming(true)}>
          Restore
        </Button>
      )}
      <Button size="small" onClick={onCompare}>
        Compare
      </Button>
      <Button size="small" busy={isBusy} onClick={() => void perform(fork)}>
        Fork from here
      </Button>
      {project.role === 'owner' && (
        <Button size="small" busy={isBusy} onClick={() => void perform(publish)}>
          {isPublished ? 'Unpublish' : 'Publish'}
        </Button>
      )}
      <ButtonLink size="small" variant="quiet" to={`${getWorkspacePath(project)}/v/${number}`}>
        View
      </ButtonLink>
      <RestoreDialog
        {...{ history, number }}
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
      />
    </div>
  );
}

/** Says why the restored files aren't a version of their own. */
function describeUnsaved(code: ErrorCode): string {
  const { message, action } = describeError(code);
  return `The restored files aren’t saved as a version yet. ${message} ${action}`;
}

interface RestoreDialogProps {
  history: ProjectHistory;
  number: number;
  isOpen: boolean;
  onClose: () => void;
}

function RestoreDialog({ history, number, isOpen, onClose }: RestoreDialogProps) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ErrorCode>();

  async function restore(): Promise<void> {
    setBusy(true);
    setFailure(undefined);
    try {
      const restored = await history.restore(number);
      onClose();
      if (restored)
        showToast({
          title: `Restored version ${number}`,
          ...(restored.failure && { description: describeUnsaved(restored.failure) }),
          action: { label: 'Undo', run: restored.undo },
        });
      else showToast({ title: `The project already matches version ${number}` });
    } catch (error) {
      setFailure(findErrorCode(error));
    }
    setBusy(false);
  }

  return (
    <Dialog
      open={isOpen}
      onClose={onClose}
      title={`Restore version ${number}?`}
      description={`This restores version ${number} for everyone working on the project. Your current files will be saved as a version first, so you can get them back.`}
    >
      {failure && <ErrorNotice code={failure} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="primary" busy={isBusy} onClick={() => void restore()}>
          Restore
        </Button>
      </DialogActions>
    </Dialog>
  );
}
