import {
  errorCatalog,
  findErrorCode,
  normalizeTag,
  validateTag,
  type ErrorCode,
} from '@vitrine/project';
import X from 'lucide-react/icons/x';
import { useId, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { useRowFocus } from '../ui/lists/row-focus.ts';
import { FieldRow, TextField } from '../ui/text-field.tsx';
import { showErrorToast } from '../ui/toast.tsx';
import type { WorkProject } from './list-work.server.ts';
import { describeProjects, type ProjectChanges } from './project-changes.ts';
import styles from './tags-dialog.module.css';

interface TagsDialogProps {
  projects: readonly WorkProject[];
  suggestions: readonly string[];
  changes: ProjectChanges;
  open: boolean;
  onClose: () => void;
}

/** Dialog for the tags of one or several projects. Each change applies at once. */
export function TagsDialog({ projects, suggestions, changes, open, onClose }: TagsDialogProps) {
  const counts = new Map<string, number>();
  for (const tag of projects.flatMap((project) => project.tags))
    counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const tags = [...counts].sort(([a], [b]) => a.localeCompare(b, 'en'));
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Tags for ${describeProjects(projects)}`}
      width="narrow"
    >
      <TagEditor tags={tags} {...{ projects, suggestions, changes }} />
    </Dialog>
  );
}

interface TagEditorProps extends Omit<TagsDialogProps, 'open' | 'onClose'> {
  /** Tags of the projects, and how many have each. */
  tags: readonly (readonly [tag: string, count: number])[];
}

function TagEditor({ tags, projects, suggestions, changes }: TagEditorProps) {
  const [removing, setRemoving] = useState<string>();

  async function remove(tag: string): Promise<void> {
    setRemoving(tag);
    await changes
      .removeTag(projects, tag)
      .catch((error: unknown) => showErrorToast(findErrorCode(error)));
    setRemoving(undefined);
  }

  const isOnAll = (suggestion: string) =>
    tags.some(([tag, count]) => tag === suggestion && count === projects.length);
  return (
    <div ref={useRowFocus<HTMLDivElement>()}>
      <TagForm
        suggestions={suggestions.filter((tag) => !isOnAll(tag))}
        onAdd={(tag) => changes.addTag(projects, tag)}
      />
      {tags.length > 0 ? (
        <ul className={styles.tags} aria-label="Tags">
          {tags.map(([tag, count]) => (
            <li key={tag} className={styles.tag}>
              <span>{tag}</span>
              {count < projects.length && (
                <span className={styles.count}>
                  {count} of {projects.length}
                </span>
              )}
              <IconButton
                label={`Remove ${tag}`}
                size="small"
                aria-busy={removing === tag || undefined}
                onClick={() => removing !== tag && void remove(tag)}
              >
                <X aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
      ) : (
        <p className={styles.none}>No tags yet.</p>
      )}
    </div>
  );
}

interface TagFormProps {
  suggestions: readonly string[];
  /** Rejects with an error that the catalog can describe. */
  onAdd: (tag: string) => Promise<void>;
}

/** A field that adds one tag after the other. */
function TagForm({ suggestions, onAdd }: TagFormProps) {
  const listId = useId();
  const [typed, setTyped] = useState('');
  const [state, setState] = useState<{ isBusy: boolean; error?: ErrorCode }>({ isBusy: false });

  async function add(): Promise<void> {
    const tag = normalizeTag(typed);
    const invalid = validateTag(tag);
    if (invalid) return setState({ isBusy: false, error: invalid });
    setState({ isBusy: true });
    try {
      await onAdd(tag);
      setTyped('');
      setState({ isBusy: false });
    } catch (error) {
      setState({ isBusy: false, error: findErrorCode(error) });
    }
  }

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <FieldRow>
        <TextField
          label="Add a tag"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          list={listId}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          error={state.error && errorCatalog[state.error].message}
        />
        <Button type="submit" busy={state.isBusy}>
          Add
        </Button>
      </FieldRow>
      <datalist id={listId}>
        {suggestions.map((tag) => (
          <option key={tag}>{tag}</option>
        ))}
      </datalist>
    </form>
  );
}
