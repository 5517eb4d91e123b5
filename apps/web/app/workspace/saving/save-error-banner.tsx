import { findErrorCode, type ErrorCode } from '@vitrine/project';
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { showErrorToast, showToast } from '../../ui/toast.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { concatenateFiles } from '../tree/concatenate-files.ts';
import { canSave } from '../sharing/identity.ts';
import type { SaveActions } from './saving.ts';
import type { WorkspaceSession } from '../session.ts';
import { useStore } from '../value-store.ts';
import styles from '../workspace-screen.module.css';

/**
 * Banner below the top bar while edits can't be saved, the document can't be opened, or the project
 * is in the trash: the error and what to do.
 */
export function SaveErrorBanner({
  session,
  actions,
}: {
  session: WorkspaceSession;
  actions: SaveActions;
}) {
  const state = useStore(session.saveStatus.state);
  const opening = useStore(session.openState);
  const identity = useStore(session.identity);
  const isInTrash = useStore(session.trash.isInTrash);
  if (opening.status === 'failed') {
    return (
      <Notice code={opening.code}>{opening.code === 'reload_required' && <ReloadButton />}</Notice>
    );
  }
  if (state.status === 'rejected') {
    return (
      <Notice code={state.code} note="Your changes are saved on this device.">
        {state.code === 'reload_required' ? (
          <ReloadButton />
        ) : (
          <Button size="small" onClick={() => void session.retry()}>
            Try again
          </Button>
        )}
        <CopyAllButton session={session} />
        {identity.kind === 'project' && (
          <Button size="small" busy={actions.busy} onClick={() => void actions.fork()}>
            Fork with your changes
          </Button>
        )}
      </Notice>
    );
  }
  if (state.status === 'not-stored') {
    return (
      <Notice code="not_kept">
        <CopyAllButton session={session} />
        {!canSave(identity) && (
          <Button size="small" busy={actions.busy} onClick={() => void actions.fork()}>
            Fork with your changes
          </Button>
        )}
      </Notice>
    );
  }
  if (isInTrash) {
    return (
      <Notice code="project_in_trash" note="Your changes are still being saved.">
        <Button size="small" onClick={() => void restore(session)}>
          Restore
        </Button>
      </Notice>
    );
  }
  return null;
}

async function restore({ trash, identity }: WorkspaceSession): Promise<void> {
  try {
    await trash.restore();
    showToast({ title: `Restored “${identity.get().title}”` });
  } catch (error) {
    showErrorToast(findErrorCode(error));
  }
}

interface NoticeProps {
  code: ErrorCode;
  note?: string;
  children?: ReactNode;
}

function Notice({ code, note, children }: NoticeProps) {
  return (
    <div className={styles.trouble}>
      <ErrorNotice code={code} note={note}>
        {children}
      </ErrorNotice>
    </div>
  );
}

function ReloadButton() {
  return (
    <Button size="small" onClick={() => location.reload()}>
      Reload
    </Button>
  );
}

function CopyAllButton({ session }: { session: WorkspaceSession }) {
  async function copy(): Promise<void> {
    await copyText(concatenateFiles(session.readFiles()));
    showToast({ title: 'Copied all files' });
  }
  return (
    <Button size="small" onClick={() => void copy()}>
      Copy all files
    </Button>
  );
}
