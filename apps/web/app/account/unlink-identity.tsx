import { useRevalidator } from 'react-router';
import { Dialog } from '../ui/dialog.tsx';
import { showToast } from '../ui/toast.tsx';
import type { Identity } from './account-details.ts';
import { AccountForm } from './account-form.tsx';
import { useAttempt } from './attempt.ts';
import { nameProvider } from './provider-names.ts';

interface UnlinkIdentityProps {
  /** The one that is to go; undefined while the dialog is closed. */
  identity: Identity | undefined;
  onClose: () => void;
}

export function UnlinkIdentity({ identity, onClose }: UnlinkIdentityProps) {
  const attempt = useAttempt();
  const { revalidate } = useRevalidator();
  const name = identity ? nameIdentity(identity) : '';

  const unlink = ({ id }: Identity) =>
    void attempt.send([], async (auth) => {
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
        <AccountForm
          submit="Unlink"
          danger
          attempt={attempt}
          onCancel={onClose}
          onSubmit={() => unlink(identity)}
        />
      )}
    </Dialog>
  );
}

export function nameIdentity({ provider }: Identity): string {
  return provider === 'email' ? 'E-mail' : nameProvider(provider);
}
