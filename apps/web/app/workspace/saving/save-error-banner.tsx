import { findErrorCode, type ErrorCode } from '@vitrine/project';
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { showErrorToast, showToast } from '../../ui/toast.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { concatenateFiles } from '../tree/concatenate-files.ts';
import { canSave } from '../sharing/identity.ts';
import type { SaveActions } from './saving.ts';
import { useStore } from '../value-store.ts';
import styles from '../workspace-screen.module.css';
import type { Workspace } from '../workspace.ts';

/**
 * Banner below the top bar while edits can't be saved, the document can't be opened, or the project
 * is in the trash: the error and what to do.
 */
export function SaveErrorBanner({
  workspace,
  actions,
}: {
  workspace: Workspace;
  actions: SaveActions;
}) {
  const state = useStore(workspace.saving.state);
  const opening = useStore(workspace.openState);
  const identity = useStore(workspace.identity);
  const isInTrash = useStore(workspace.trash.isInTrash);
  if (opening.status === 'failed') {
    return (
      <Notice code={opening.code}>{opening.code === 'reload_required' && <ReloadButton />}</Notice>
    );
  }
  if (state.status === 'refused') {
    return (
      <Notice code={state.code} note="Your changes are saved on this device.">
        {state.code === 'reload_required' ? (
          <ReloadButton />
        ) : (
          <Button size="small" onClick={() => void workspace.retry()}>
            Try again
          </Button>
        )}
        <CopyAllButton workspace={workspace} />
        {identity.kind === 'project' && (
          <Button size="small" busy={actions.busy} onClick={() => void actions.fork()}>
            Fork with your changes
          </Button>
        )}
      </Notice>
    );
  }
  if (state.status === 'not-kept') {
    return (
      <Notice code="not_kept">
        <CopyAllButton workspace={workspace} />
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
      <Notice code="project_in_trash" note="Your changes are still saved.">
        <Button size="small" onClick={() => void restore(workspace)}>
          Restore
        </Button>
      </Notice>
    );
  }
  return null;
}

async function restore({ trash, identity }: Workspace): Promise<void> {
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

function CopyAllButton({ workspace }: { workspace: Workspace }) {
  async function copy(): Promise<void> {
    await copyText(concatenateFiles(workspace.readFiles()));
    showToast({ title: 'Copied all files' });
  }
  return (
    <Button size="small" onClick={() => void copy()}>
      Copy all files
    </Button>
  );
}
