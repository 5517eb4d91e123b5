import { useRevalidator } from 'react-router';
import { Dialog } from '../ui/dialog.tsx';
import { showToast } from '../ui/toast.tsx';
import type { Authenticator } from './account-details.ts';
import { AccountForm } from './account-form.tsx';
import { useAttempt } from './attempt.ts';

interface RemoveAuthenticatorProps {
  /** The one that is to go; undefined while the dialog is closed. */
  authenticator: Authenticator | undefined;
  isLast: boolean;
  onClose: () => void;
}

export function RemoveAuthenticator({ authenticator, isLast, onClose }: RemoveAuthenticatorProps) {
  const attempt = useAttempt();
  const { revalidate } = useRevalidator();

  const remove = ({ id, name }: Authenticator) =>
    void attempt.send([], async (auth) => {
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
        <AccountForm
          submit="Remove"
          danger
          attempt={attempt}
          onCancel={onClose}
          onSubmit={() => remove(authenticator)}
        />
      )}
    </Dialog>
  );
}
