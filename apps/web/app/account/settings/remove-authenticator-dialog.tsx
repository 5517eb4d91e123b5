import { useRevalidator } from 'react-router';
import { Dialog } from '../../ui/dialog.tsx';
import { showToast } from '../../ui/toast.tsx';
import type { Authenticator, SignInMethods } from './account-details.ts';
import { AccountForm } from '../account-form.tsx';
import { useAuthForm } from '../use-auth-form.ts';
import { reauthenticateSession, useReauthentication } from './reauthentication.tsx';

interface RemoveAuthenticatorDialogProps {
  /** The authenticator to remove; undefined while the dialog is closed. */
  authenticator: Authenticator | undefined;
  methods: SignInMethods;
  onClose: () => void;
}

export function RemoveAuthenticatorDialog(props: RemoveAuthenticatorDialogProps) {
  const { authenticator, methods } = props;
  const authForm = useAuthForm();
  const reauthentication = useReauthentication(authForm, methods);
  const { revalidate } = useRevalidator();
  const close = () => {
    reauthentication.reset();
    props.onClose();
  };

  const remove = ({ id, name }: Authenticator, form: FormData) =>
    void authForm.submit([], (auth) =>
      reauthentication.run(auth, form, async (attributes) => {
        const reauthenticationError = await reauthenticateSession(auth, attributes);
        const error = reauthenticationError ?? (await auth.mfa.unenroll({ factorId: id })).error;
        if (error) return error;
        // The session's assurance level may have changed with the removed factor.
        await auth.refreshSession();
        close();
        showToast({ title: `${name} removed` });
        await revalidate();
        return null;
      }),
    );

  return (
    <Dialog
      open={authenticator !== undefined}
      onClose={close}
      title={`Remove ${authenticator?.name ?? ''}?`}
      description={
        methods.authenticators.length === 1
          ? 'This is your last authenticator app. You’ll no longer need a code to sign in.'
          : 'You’ll no longer be able to sign in with its codes. Your other authenticator apps will still work.'
      }
      width="narrow"
    >
      {authenticator && (
        <AccountForm
          submitLabel="Remove"
          danger
          authForm={authForm}
          onCancel={close}
          onSubmit={(form) => remove(authenticator, form)}
        >
          {reauthentication.fields}
        </AccountForm>
      )}
    </Dialog>
  );
}
