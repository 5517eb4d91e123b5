import {
  describeError,
  findErrorCode,
  isRecord,
  validateTitle,
  type ErrorCode,
} from '@vitrine/project';
import Plus from 'lucide-react/icons/plus';
import type { SupabaseClient } from '@supabase/supabase-js';
import { useEffect, useState, type FormEvent } from 'react';
import { useNavigate } from 'react-router';
import { useClient } from '../session/use-client.ts';
import { useViewer } from '../session/viewer.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { FieldRow, TextField } from '../ui/text-field.tsx';
import { showErrorToast, showToast } from '../ui/toast.tsx';
import { callDatabase } from '../workspace/saving/project-api.ts';
import { useCollectionChanges } from './collection-changes.ts';
import styles from './collection-dialogs.module.css';
import { getCollectionPath } from './collection-list.tsx';

interface NewCollectionButtonProps {
  username: string;
  size?: 'small' | 'regular';
}

/** Creates an empty collection and opens it. */
export function NewCollectionButton({ username, size = 'small' }: NewCollectionButtonProps) {
  const { create } = useCollectionChanges();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size={size} icon={<Plus aria-hidden />} onClick={() => setOpen(true)}>
        New collection
      </Button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title="New collection" width="narrow">
        <TitleForm
          onCreate={async (title) => {
            const slug = await create(title, []);
            await navigate(getCollectionPath(username, slug));
          }}
        />
      </Dialog>
    </>
  );
}

interface TitleFormProps {
  /** Rejects with an error that the catalog can describe. */
  onCreate: (title: string) => Promise<void>;
}

/** Field for the title of a new collection. */
function TitleForm({ onCreate }: TitleFormProps) {
  const [state, setState] = useState<{ isBusy: boolean; error?: ErrorCode }>({ isBusy: false });

  async function create(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const typed = new FormData(event.currentTarget).get('title');
    const title = typeof typed === 'string' ? typed.trim() : '';
    const invalid = validateTitle(title);
    if (invalid) return setState({ isBusy: false, error: invalid });
    setState({ isBusy: true });
    try {
      await onCreate(title);
      setState({ isBusy: false });
    } catch (error) {
      setState({ isBusy: false, error: findErrorCode(error) });
    }
  }

  return (
    <form noValidate onSubmit={(event) => void create(event)}>
      <FieldRow>
        <TextField
          label="New collection"
          name="title"
          placeholder="Title"
          autoComplete="off"
          error={state.error && describeError(state.error).message}
        />
        <Button type="submit" busy={state.isBusy}>
          Create
        </Button>
      </FieldRow>
    </form>
  );
}

interface OwnCollection {
  readonly id: string;
  readonly slug: string;
  readonly title: string;
  readonly count: number;
  readonly hasProject: boolean;
}

type Collections =
  | { status: 'loading' }
  | { status: 'loaded'; collections: readonly OwnCollection[] }
  | { status: 'failed'; code: ErrorCode };

interface AddToCollectionDialogProps {
  /** Ids of the projects to add. */
  projects: readonly string[];
  onClose: () => void;
}

/** Dialog that adds projects to one of the user's collections or to a new one. Rendered while open. */
export function AddToCollectionDialog({ projects, onClose }: AddToCollectionDialogProps) {
  const viewer = useViewer();
  const changes = useCollectionChanges();
  const navigate = useNavigate();
  const collections = useOwnCollections(viewer?.id, projects);

  function finish(title: string, slug: string): void {
    onClose();
    showToast({
      title: `Added to “${title}”`,
      action: {
        label: 'View',
        run: () => void navigate(getCollectionPath(viewer?.username ?? '', slug)),
      },
    });
  }

  async function add({ id, title, slug }: OwnCollection): Promise<void> {
    try {
      await changes.addProjects(id, projects);
      finish(title, slug);
    } catch (error) {
      showErrorToast(findErrorCode(error));
    }
  }

  return (
    <Dialog open onClose={onClose} title="Add to collection" width="narrow">
      <TitleForm onCreate={async (title) => finish(title, await changes.create(title, projects))} />
      {collections.status === 'loading' && (
        <div className={styles.loading}>
          <Skeleton width="60%" />
          <Skeleton width="40%" />
        </div>
      )}
      {collections.status === 'failed' && <ErrorNotice code={collections.code} />}
      {collections.status === 'loaded' && (
        <ul className={styles.collections} aria-label="Your collections">
          {collections.collections.map((collection) => (
            <li key={collection.id} className={styles.collection}>
              <span className={styles.title}>{collection.title}</span>
              <span className={styles.count}>{collection.count}</span>
              <Button
                size="small"
                disabled={collection.hasProject}
                aria-label={
                  collection.hasProject
                    ? `Already in ${collection.title}`
                    : `Add to ${collection.title}`
                }
                onClick={() => void add(collection)}
              >
                {collection.hasProject ? 'Added' : 'Add'}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}

/** The user's collections, and whether each has the project, if it's about one. */
function useOwnCollections(owner: string | undefined, projects: readonly string[]): Collections {
  const getClient = useClient();
  const [collections, setCollections] = useState<Collections>({ status: 'loading' });
  const project = projects.length === 1 ? projects[0] : undefined;
  useEffect(() => {
    if (owner === undefined) return;
    let isCurrent = true;
    loadCollections(getClient, owner, project).then(
      (loaded) => isCurrent && setCollections({ status: 'loaded', collections: loaded }),
      (error: unknown) =>
        isCurrent && setCollections({ status: 'failed', code: findErrorCode(error) }),
    );
    return () => void (isCurrent = false);
  }, [getClient, owner, project]);
  return collections;
}

async function loadCollections(
  getClient: () => Promise<SupabaseClient>,
  owner: string,
  project: string | undefined,
): Promise<readonly OwnCollection[]> {
  const supabase = await getClient();
  const data = await callDatabase(supabase.rpc('list_collections', { owner, project }));
  const rows: unknown[] = Array.isArray(data) ? data : [];
  return rows.filter(isRecord).map((row) => ({
    id: String(row.id),
    slug: String(row.slug),
    title: String(row.title),
    count: Number(row.count),
    hasProject: row.has_project === true,
  }));
}
