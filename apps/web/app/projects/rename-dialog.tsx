import { errorCatalog, findErrorCode, validateTitle, type ErrorCode } from '@vitrine/project';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { TextField } from '../ui/text-field.tsx';

interface RenameDialogProps {
  title: string;
  open: boolean;
  onClose: () => void;
  /** Saves the title. May reject with any error that the catalog can describe. */
  onRename: (title: string) => Promise<void>;
}

/** Dialog to rename a project or draft. */
export function RenameDialog({ title, open, onClose, onRename }: RenameDialogProps) {
  const [state, setState] = useState<{ busy: boolean; error?: ErrorCode | undefined }>({
    busy: false,
  });
  const rename = async (newTitle: string) => {
    const invalid = validateTitle(newTitle);
    if (invalid) return setState({ busy: false, error: invalid });
    setState({ busy: true });
    try {
      await onRename(newTitle);
      setState({ busy: false });
      onClose();
    } catch (error) {
      setState({ busy: false, error: findErrorCode(error) });
    }
  };
  return (
    <Dialog open={open} onClose={onClose} title="Rename" width="narrow">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const newTitle = new FormData(event.currentTarget).get('title');
          void rename(typeof newTitle === 'string' ? newTitle.trim() : '');
        }}
      >
        <TextField
          label="Title"
          name="title"
          defaultValue={title}
          autoComplete="off"
          onFocus={(event) => event.currentTarget.select()}
          error={state.error && errorCatalog[state.error].message}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={state.busy}>
            Rename
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
