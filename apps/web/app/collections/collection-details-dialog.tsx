import {
  describeError,
  findErrorCode,
  isVisibility,
  limits,
  validateTitle,
  type ErrorCode,
  type Visibility,
} from '@vitrine/project';
import { useState, type FormEvent } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Select } from '../ui/select.tsx';
import { TextArea, TextField } from '../ui/text-field.tsx';
import type { CollectionDetails } from './collection-changes.ts';
import type { Collection } from './read-collection.server.ts';

interface CollectionDetailsDialogProps {
  collection: Collection;
  open: boolean;
  onClose: () => void;
  /** Rejects with an error that the catalog can describe. */
  onSave: (details: CollectionDetails) => Promise<void>;
}

const visibilityOptions: readonly { value: Visibility; label: string; note: string }[] = [
  { value: 'private', label: 'Private', note: 'Only you can view it.' },
  {
    value: 'unlisted',
    label: 'Unlisted',
    note: 'Anyone with the link can view it, including your unlisted projects.',
  },
  {
    value: 'public',
    label: 'Public',
    note: 'Anyone can find it on your profile. It shows public projects only.',
  },
];

/** Dialog for a collection's title, description and visibility. */
export function CollectionDetailsDialog(props: CollectionDetailsDialogProps) {
  const { collection, open, onClose, onSave } = props;
  const [visibility, setVisibility] = useState(collection.visibility);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<{ field?: 'title' | 'description'; code: ErrorCode }>();
  const findMessage = (field: 'title' | 'description') =>
    error?.field === field ? describeError(error.code).message : undefined;

  async function save(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const read = (name: string) => {
      const value = form.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    const title = read('title');
    const description = read('description');
    const titleError = validateTitle(title);
    if (titleError) return setError({ field: 'title', code: titleError });
    if ([...description].length > limits.descriptionMax)
      return setError({ field: 'description', code: 'description_too_long' });
    setBusy(true);
    try {
      await onSave({ title, description, visibility });
      onClose();
    } catch (caught) {
      setError({ code: findErrorCode(caught) });
    } finally {
      setBusy(false);
    }
  }

  return (
    <Dialog open={open} onClose={onClose} title="Edit collection">
      <form noValidate onSubmit={(event) => void save(event)}>
        <TextField
          label="Title"
          name="title"
          defaultValue={collection.title}
          autoComplete="off"
          error={findMessage('title')}
        />
        <TextArea
          label="Description"
          name="description"
          defaultValue={collection.description}
          error={findMessage('description')}
        />
        <Select
          label="Visibility"
          value={visibility}
          options={visibilityOptions}
          onChange={(value) => isVisibility(value) && setVisibility(value)}
        />
        {error && error.field === undefined && <ErrorNotice code={error.code} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={isBusy}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
