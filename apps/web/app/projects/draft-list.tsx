import type { Draft, DraftStore } from '@vitrine/collaboration';
import { findErrorCode, type ErrorCode } from '@vitrine/project';
import Pencil from 'lucide-react/icons/pencil';
import Trash from 'lucide-react/icons/trash-2';
import { useCallback, useEffect, useState, type ReactNode } from 'react';
import { useViewer } from '../session/viewer.ts';
import { ActionButton, ButtonLink } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { showErrorToast } from '../ui/toast.tsx';
import styles from './draft-list.module.css';
import { RenameDialog } from './rename-dialog.tsx';
import { ProjectRow, ProjectRows } from './project-row.tsx';

type Drafts =
  | { status: 'loading' }
  | { status: 'loaded'; store: DraftStore; drafts: readonly Draft[] }
  | { status: 'failed'; code: ErrorCode };

interface DraftListProps {
  /** Renders what is around the list. With it, nothing is shown while there are no drafts. */
  frame?: (drafts: ReactNode) => ReactNode;
}

/** The drafts on this device. Only the browser has them, so the server renders a placeholder. */
export function DraftList({ frame }: DraftListProps) {
  const { drafts, reload } = useDrafts();
  const [dialog, setDialog] = useState<{ draft: Draft; type: 'rename' | 'delete' }>();
  const isEmpty = drafts.status !== 'loaded' || drafts.drafts.length === 0;
  if (frame && isEmpty) return null;
  if (drafts.status === 'loading') return <LoadingDrafts />;
  if (drafts.status === 'failed') return <ErrorNotice code={drafts.code} />;
  if (drafts.drafts.length === 0) {
    return (
      <EmptyState title="No drafts yet. Start a project to create one.">
        <ButtonLink to="/new">New project</ButtonLink>
      </EmptyState>
    );
  }
  const { store } = drafts;
  const close = () => setDialog(undefined);
  const list = (
    <>
      <UnclaimedDrafts drafts={drafts.drafts} store={store} onClaimed={reload} />
      <ProjectRows label="Drafts">
        {drafts.drafts.map((draft) => (
          <ProjectRow
            key={draft.id}
            title={draft.title}
            to={`/draft/${draft.id}`}
            changedAt={draft.updatedAt}
            menu={
              <>
                <MenuItem
                  icon={<Pencil aria-hidden />}
                  onSelect={() => setDialog({ draft, type: 'rename' })}
                >
                  Rename
                </MenuItem>
                <MenuSeparator />
                <MenuItem
                  danger
                  icon={<Trash aria-hidden />}
                  onSelect={() => setDialog({ draft, type: 'delete' })}
                >
                  Delete draft
                </MenuItem>
              </>
            }
          />
        ))}
      </ProjectRows>
      <RenameDialog
        key={dialog?.draft.id}
        title={dialog?.draft.title ?? ''}
        open={dialog?.type === 'rename'}
        onClose={close}
        onRename={async (title) => {
          if (dialog) await store.rename(dialog.draft.id, title);
          await reload();
        }}
      />
      <ConfirmDialog
        open={dialog?.type === 'delete'}
        onClose={close}
        title={`Delete “${dialog?.draft.title ?? ''}”?`}
        description="It’s stored only on this device, so this can’t be undone."
        action="Delete draft"
        onConfirm={async () => {
          if (dialog) await store.remove(dialog.draft.id);
          await reload();
        }}
      />
    </>
  );
  return frame ? frame(list) : list;
}

/** Offers to move drafts made before sign-in to the account: any user of this browser sees them. */
function UnclaimedDrafts(props: {
  drafts: readonly Draft[];
  store: DraftStore;
  onClaimed: () => Promise<void>;
}) {
  const viewer = useViewer();
  const ids = props.drafts.filter((draft) => draft.isUnclaimed).map((draft) => draft.id);
  if (!viewer || ids.length === 0) return null;
  const isOne = ids.length === 1;
  const claim = async () => {
    await props.store.claim(ids).catch(showError);
    await props.onClaimed();
  };
  return (
    <div className={styles.unclaimed}>
      <p>
        {isOne ? '1 draft isn’t' : `${ids.length} drafts aren’t`} in your account yet. Anyone using
        this browser can see {isOne ? 'it' : 'them'}.
      </p>
      <ActionButton size="small" onPress={claim}>
        Move to my account
      </ActionButton>
    </div>
  );
}

function LoadingDrafts() {
  return (
    <div className={styles.loading}>
      <Skeleton width="40%" />
      <Skeleton width="28%" />
    </div>
  );
}

function useDrafts(): { drafts: Drafts; reload: () => Promise<void> } {
  const owner = useViewer()?.id ?? null;
  const [drafts, setDrafts] = useState<Drafts>({ status: 'loading' });
  const reload = useCallback(() => loadDrafts(owner).then(setDrafts), [owner]);
  useEffect(() => {
    void loadDrafts(owner).then(setDrafts);
    // Another tab may have changed the drafts.
    const onVisible = () => document.visibilityState === 'visible' && void reload();
    document.addEventListener('visibilitychange', onVisible);
    return () => document.removeEventListener('visibilitychange', onVisible);
  }, [owner, reload]);
  return { drafts, reload };
}

/** Loads the drafts of a user, or of visitors, from this device. Latest changes first. */
export async function loadDrafts(owner: string | null): Promise<Drafts> {
  try {
    const { openDraftStore } = await import('@vitrine/collaboration');
    const store = openDraftStore({ owner });
    return { status: 'loaded', store, drafts: await store.list() };
  } catch (error) {
    return { status: 'failed', code: findErrorCode(error) };
  }
}

function showError(error: unknown): void {
  showErrorToast(findErrorCode(error));
}
