import type { Draft, DraftStore } from '@vitrine/collaboration';
import { findErrorCode, type ErrorCode } from '@vitrine/project';
import Pencil from 'lucide-react/icons/pencil';
import Trash from 'lucide-react/icons/trash-2';
import { useCallback, useEffect, useState } from 'react';
import { useViewer } from '../session/viewer.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { showErrorToast } from '../ui/toast.tsx';
import styles from './draft-list.module.css';
import { RenameDialog } from './rename-dialog.tsx';
import { WorkRow, WorkRows } from './work-row.tsx';

type Drafts =
  | { status: 'reading' }
  | { status: 'read'; store: DraftStore; drafts: readonly Draft[] }
  | { status: 'failed'; code: ErrorCode };

/** The drafts on this device: only the browser knows them, so the server sends their place. */
export function DraftList() {
  const { drafts, reread } = useDrafts();
  const [asked, setAsked] = useState<{ draft: Draft; to: 'rename' | 'remove' }>();
  if (drafts.status === 'reading') return <ReadingDrafts />;
  if (drafts.status === 'failed') return <ErrorNotice code={drafts.code} />;
  if (drafts.drafts.length === 0) {
    return (
      <EmptyState title="No drafts yet">
        <ButtonLink to="/new">New project</ButtonLink>
      </EmptyState>
    );
  }
  const { store } = drafts;
  const close = () => setAsked(undefined);
  return (
    <>
      <Unclaimed drafts={drafts.drafts} store={store} onClaimed={reread} />
      <WorkRows label="Drafts">
        {drafts.drafts.map((draft) => (
          <WorkRow
            key={draft.id}
            title={draft.title}
            to={`/draft/${draft.id}`}
            changedAt={draft.updatedAt}
            menu={
              <>
                <MenuItem
                  icon={<Pencil aria-hidden />}
                  onSelect={() => setAsked({ draft, to: 'rename' })}
                >
                  Rename
                </MenuItem>
                <MenuSeparator />
                <MenuItem
                  danger
                  icon={<Trash aria-hidden />}
                  onSelect={() => setAsked({ draft, to: 'remove' })}
                >
                  Delete draft
                </MenuItem>
              </>
            }
          />
        ))}
      </WorkRows>
      <RenameDialog
        key={asked?.draft.id}
        title={asked?.draft.title ?? ''}
        open={asked?.to === 'rename'}
        onClose={close}
        onRename={async (title) => {
          if (asked) await store.rename(asked.draft.id, title);
          await reread();
        }}
      />
      <Dialog
        open={asked?.to === 'remove'}
        onClose={close}
        title={`Delete “${asked?.draft.title ?? ''}”?`}
        description="It’s stored only on this device, so this can’t be undone."
        width="narrow"
      >
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button
            variant="danger"
            onClick={async () => {
              if (asked) await store.remove(asked.draft.id).catch(tell);
              close();
              await reread();
            }}
          >
            Delete draft
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}

/** Drafts made before signing in belong to nobody, and so to whoever uses this browser next. */
function Unclaimed(props: {
  drafts: readonly Draft[];
  store: DraftStore;
  onClaimed: () => Promise<void>;
}) {
  const viewer = useViewer();
  const ids = props.drafts.filter((draft) => draft.isUnclaimed).map((draft) => draft.id);
  if (!viewer || ids.length === 0) return null;
  const isOne = ids.length === 1;
  const keep = async () => {
    await props.store.claim(ids).catch(tell);
    await props.onClaimed();
  };
  return (
    <div className={styles.unclaimed}>
      <p>
        {isOne ? '1 draft isn’t' : `${ids.length} drafts aren’t`} in your account yet. Anyone using
        this browser can see {isOne ? 'it' : 'them'}.
      </p>
      <Button size="small" onClick={keep}>
        Move to my account
      </Button>
    </div>
  );
}

function ReadingDrafts() {
  return (
    <div className={styles.reading}>
      <Skeleton width="40%" />
      <Skeleton width="28%" />
    </div>
  );
}

function useDrafts(): { drafts: Drafts; reread: () => Promise<void> } {
  const owner = useViewer()?.id ?? null;
  const [drafts, setDrafts] = useState<Drafts>({ status: 'reading' });
  const reread = useCallback(() => readDrafts(owner).then(setDrafts), [owner]);
  useEffect(() => {
    void readDrafts(owner).then(setDrafts);
    // Another tab may have written meanwhile.
    const onShow = () => document.visibilityState === 'visible' && void reread();
    document.addEventListener('visibilitychange', onShow);
    return () => document.removeEventListener('visibilitychange', onShow);
  }, [owner, reread]);
  return { drafts, reread };
}

/** The drafts of a person, or of nobody, that this device has; the latest changed first. */
export async function readDrafts(owner: string | null): Promise<Drafts> {
  try {
    const { openDraftStore } = await import('@vitrine/collaboration');
    const store = openDraftStore({ owner });
    return { status: 'read', store, drafts: await store.list() };
  } catch (error) {
    return { status: 'failed', code: findErrorCode(error) };
  }
}

function tell(error: unknown): void {
  showErrorToast(findErrorCode(error));
}
