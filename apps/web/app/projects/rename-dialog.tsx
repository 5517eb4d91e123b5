import { catalogue, findErrorCode, findTitleProblem, type ErrorCode } from '@vitrine/project';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { TextField } from '../ui/text-field.tsx';

interface RenameDialogProps {
  title: string;
  open: boolean;
  onClose: () => void;
  /** Throws what the catalogue has a sentence for. */
  onRename: (title: string) => Promise<void>;
}

/** Asks for another title. */
export function RenameDialog({ title, open, onClose, onRename }: RenameDialogProps) {
  const [state, setState] = useState<{ busy: boolean; problem?: ErrorCode | undefined }>({
    busy: false,
  });
  const rename = async (wanted: string) => {
    const problem = findTitleProblem(wanted);
    if (problem) return setState({ busy: false, problem });
    setState({ busy: true });
    try {
      await onRename(wanted);
      setState({ busy: false });
      onClose();
    } catch (error) {
      setState({ busy: false, problem: findErrorCode(error) });
    }
  };
  return (
    <Dialog open={open} onClose={onClose} title="Rename" width="narrow">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const wanted = new FormData(event.currentTarget).get('title');
          void rename(typeof wanted === 'string' ? wanted.trim() : '');
        }}
      >
        <TextField
          label="Title"
          name="title"
          defaultValue={title}
          autoComplete="off"
          onFocus={(event) => event.currentTarget.select()}
          error={state.problem && catalogue[state.problem].sentence}
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
