import { findErrorCode } from '@vitrine/project';
import { useState } from 'react';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { showErrorToast } from './toast.tsx';

interface ConfirmDialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  description: string;
  /** Label of the button that confirms: a verb, as in “Delete forever”. */
  action: string;
  /** `primary` for an action that can be undone. */
  variant?: 'danger' | 'primary';
  /** Runs once, however often the button is pressed. If it rejects, the dialog stays open. */
  onConfirm: () => Promise<void>;
}

/** Dialog that asks before an action. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open, onClose, title, description, action, variant = 'danger', onConfirm } = props;
  const [isBusy, setBusy] = useState(false);
  /** Stays while the dialog fades out, when there may be nothing to ask about anymore. */
  const [shown, setShown] = useState({ title, description });
  if (open && (shown.title !== title || shown.description !== description))
    setShown({ title, description });

  async function confirm(): Promise<void> {
    setBusy(true);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      showErrorToast(findErrorCode(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={shown.title}
      description={shown.description}
      width="narrow"
    >
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button variant={variant} busy={isBusy} onClick={() => void confirm()}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
