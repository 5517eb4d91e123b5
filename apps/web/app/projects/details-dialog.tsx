import {
  describeError,
  findErrorCode,
  isRecord,
  limits,
  normalizeTag,
  validateTag,
  validateTitle,
  type ErrorCode,
} from '@vitrine/project';
import type { SupabaseClient } from '@supabase/supabase-js';
import { useEffect, useState, type FormEvent } from 'react';
import { useClient } from '../session/use-client.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { TextArea, TextField } from '../ui/text-field.tsx';
import styles from './details-dialog.module.css';
import { tagProjects } from './project-changes.ts';
import { callDatabase } from '../workspace/saving/project-api.ts';

interface Details {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly isTemplate: boolean;
}

interface DetailsDialogProps {
  /** Id of a project of the signed-in user. */
  project: string;
  onClose: () => void;
  /** Saves a new title. May reject with an error that the catalog can describe. */
  onRename: (title: string) => Promise<void>;
  /** Called once everything is saved. */
  onSaved?: () => Promise<void>;
}

type State =
  | { status: 'loading' }
  | { status: 'loaded'; details: Details }
  | { status: 'failed'; code: ErrorCode };

/** Dialog for a project's title, description, tags and use as a template. Rendered while it's open. */
export function DetailsDialog({ project, onClose, onRename, onSaved }: DetailsDialogProps) {
  const getClient = useClient();
  const [state, setState] = useState<State>({ status: 'loading' });
  useEffect(() => {
    let isCurrent = true;
    loadDetails(getClient, project).then(
      (details) => isCurrent && setState({ status: 'loaded', details }),
      (error: unknown) => isCurrent && setState({ status: 'failed', code: findErrorCode(error) }),
    );
    return () => void (isCurrent = false);
  }, [getClient, project]);
  return (
    <Dialog open onClose={onClose} title="Details">
      {state.status === 'loading' && (
        <div className={styles.loading}>
          <Skeleton width="60%" />
          <Skeleton />
          <Skeleton width="40%" />
        </div>
      )}
      {state.status === 'failed' && <ErrorNotice code={state.code} />}
      {state.status === 'loaded' && (
        <DetailsForm
          details={state.details}
          onCancel={onClose}
          onSave={async (next) => {
            const { title, description, tags, isTemplate } = state.details;
            if (next.title !== title) await onRename(next.title);
            const supabase = await getClient();
            const columns = {
              ...(next.description !== description && { description: next.description }),
              ...(next.isTemplate !== isTemplate && { is_template: next.isTemplate }),
            };
            if (Object.keys(columns).length > 0) await saveColumns(supabase, project, columns);
            const added = next.tags.filter((tag) => !tags.includes(tag));
            const removed = tags.filter((tag) => !next.tags.includes(tag));
            if (added.length + removed.length > 0)
              await tagProjects(supabase, [project], { added, removed });
            await onSaved?.();
            onClose();
          }}
        />
      )}
    </Dialog>
  );
}

interface DetailsFormProps {
  details: Details;
  onCancel: () => void;
  onSave: (details: Details) => Promise<void>;
}

type Field = 'title' | 'description' | 'tags';

function DetailsForm({ details, onCancel, onSave }: DetailsFormProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<{ field: Field | undefined; code: ErrorCode }>();
  const findMessage = (field: Field) =>
    error?.field === field ? describeError(error.code).message : undefined;

  async function save(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const next = readForm(new FormData(event.currentTarget));
    const invalid = validateDetails(next);
    setError(invalid);
    if (invalid) return;
    setBusy(true);
    try {
      await onSave(next);
    } catch (caught) {
      setError({ field: undefined, code: findErrorCode(caught) });
      setBusy(false);
    }
  }

  return (
    <form noValidate onSubmit={(event) => void save(event)}>
      <TextField
        label="Title"
        name="title"
        defaultValue={details.title}
        autoComplete="off"
        error={findMessage('title')}
      />
      <TextArea
        label="Description"
        name="description"
        rows={4}
        defaultValue={details.description}
        error={findMessage('description')}
      />
      <TextField
        label="Tags"
        name="tags"
        defaultValue={details.tags.join(' ')}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        description={`Up to ${limits.projectMaxTags}, separated by spaces.`}
        error={findMessage('tags')}
      />
      <label className={styles.choice}>
        <input type="checkbox" name="template" defaultChecked={details.isTemplate} />
        Use as template
      </label>
      <p className={styles.note}>
        Listed under “Your templates” when you start a project. Others can start from it with the
        link if they can view it.
      </p>
      {error && error.field === undefined && <ErrorNotice code={error.code} />}
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" busy={isBusy}>
          Save
        </Button>
      </DialogActions>
    </form>
  );
}

function readForm(form: FormData): Details {
  const read = (name: Field) => {
    const value = form.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  return {
    title: read('title'),
    description: read('description'),
    tags: parseTags(read('tags')),
    isTemplate: form.get('template') === 'on',
  };
}

/** "Game,  canvas game" → ["game", "canvas"]. */
function parseTags(typed: string): string[] {
  const tags = typed.split(/[\s,]+/).map(normalizeTag);
  return [...new Set(tags)].filter((tag) => tag !== '');
}

function validateDetails(details: Details): { field: Field; code: ErrorCode } | undefined {
  const { title, description, tags } = details;
  const titleError = validateTitle(title);
  if (titleError) return { field: 'title', code: titleError };
  // The database counts characters, not UTF-16 units.
  if ([...description].length > limits.descriptionMax)
    return { field: 'description', code: 'description_too_long' };
  if (tags.length > limits.projectMaxTags) return { field: 'tags', code: 'too_many_tags' };
  return tags.some((tag) => validateTag(tag) !== undefined)
    ? { field: 'tags', code: 'invalid_tag' }
    : undefined;
}

async function loadDetails(
  getClient: () => Promise<SupabaseClient>,
  project: string,
): Promise<Details> {
  const supabase = await getClient();
  const data = await callDatabase(
    supabase
      .from('projects')
      .select('title, description, is_template, project_tags(tag)')
      .eq('id', project)
      .single(),
  );
  const row = isRecord(data) ? data : {};
  const tags: unknown[] = Array.isArray(row.project_tags) ? row.project_tags : [];
  return {
    title: String(row.title),
    description: String(row.description),
    tags: tags.flatMap((tag) => (isRecord(tag) ? [String(tag.tag)] : [])).sort(),
    isTemplate: row.is_template === true,
  };
}

async function saveColumns(
  supabase: SupabaseClient,
  project: string,
  columns: { readonly description?: string; readonly is_template?: boolean },
): Promise<void> {
  await callDatabase(
    supabase.from('projects').update(columns).eq('id', project).select('id').single(),
  );
}
