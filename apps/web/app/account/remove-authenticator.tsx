import { useRevalidator } from 'react-router';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { showToast } from '../ui/toast.tsx';
import type { Authenticator } from './account-details.ts';
import { useAttempt } from './attempt.ts';

interface RemoveAuthenticatorProps {
  /** The one that is to go; undefined while the dialog is closed. */
  authenticator: Authenticator | undefined;
  isLast: boolean;
  onClose: () => void;
}

export function RemoveAuthenticator({ authenticator, isLast, onClose }: RemoveAuthenticatorProps) {
  const { busy, trouble, send } = useAttempt();
  const { revalidate } = useRevalidator();

  const remove = ({ id, name }: Authenticator) =>
    send([], async (auth) => {
      const { error } = await auth.mfa.unenroll({ factorId: id });
      if (error) return error;
      // Whoever showed the one that went shows another, if there is one.
      await auth.refreshSession();
      onClose();
      showToast({ title: `${name} is removed` });
      await revalidate();
      return null;
    });

  return (
    <Dialog
      open={authenticator !== undefined}
      onClose={onClose}
      title={`Remove ${authenticator?.name ?? ''}?`}
      description={
        isLast
          ? 'It is the last one: signing in takes your password alone then.'
          : 'Its codes sign nobody in any more; those of your other authenticators do.'
      }
      width="narrow"
    >
      {authenticator && (
        <>
          {trouble && <ErrorNotice code={trouble.code} details={trouble.details} />}
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button variant="danger" busy={busy} onClick={() => void remove(authenticator)}>
              Remove
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}
