import { useRevalidator } from 'react-router';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { showToast } from '../ui/toast.tsx';
import type { Identity } from './account-details.ts';
import { useAttempt } from './attempt.ts';
import { nameProvider } from './provider-names.ts';

interface UnlinkIdentityProps {
  /** The one that is to go; undefined while the dialog is closed. */
  identity: Identity | undefined;
  onClose: () => void;
}

export function UnlinkIdentity({ identity, onClose }: UnlinkIdentityProps) {
  const { busy, trouble, send } = useAttempt();
  const { revalidate } = useRevalidator();
  const name = identity ? nameIdentity(identity) : '';

  const unlink = ({ id }: Identity) =>
    send([], async (auth) => {
      const { data, error: unread } = await auth.getUserIdentities();
      if (unread) return unread;
      const linked = data.identities.find(({ identity_id: linkedId }) => linkedId === id);
      const error = linked ? (await auth.unlinkIdentity(linked)).error : null;
      if (error) return error;
      await revalidate();
      onClose();
      showToast({ title: `${name} is unlinked` });
      return null;
    });

  return (
    <Dialog
      open={identity !== undefined}
      onClose={onClose}
      title={`Unlink ${name}?`}
      description="It does not sign you in any more. The other ways stay."
      width="narrow"
    >
      {identity && (
        <>
          {trouble && <ErrorNotice code={trouble.code} details={trouble.details} />}
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button variant="danger" busy={busy} onClick={() => void unlink(identity)}>
              Unlink
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}

export function nameIdentity({ provider }: Identity): string {
  return provider === 'email' ? 'E-mail' : nameProvider(provider);
}
