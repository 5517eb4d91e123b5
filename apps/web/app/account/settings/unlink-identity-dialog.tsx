import { useRevalidator } from 'react-router';
import { Dialog } from '../../ui/dialog.tsx';
import { showToast } from '../../ui/toast.tsx';
import type { Identity, SignInMethods } from './account-details.ts';
import { AccountForm } from '../account-form.tsx';
import { useAuthForm } from '../use-auth-form.ts';
import { getProviderName } from '../provider-names.ts';
import { reauthenticateSession, useReauthentication } from './reauthentication.tsx';

interface UnlinkIdentityDialogProps {
  /** The identity to unlink; undefined while the dialog is closed. */
  identity: Identity | undefined;
  methods: SignInMethods;
  onClose: () => void;
}

export function UnlinkIdentityDialog({ identity, methods, ...props }: UnlinkIdentityDialogProps) {
  const authForm = useAuthForm();
  const reauthentication = useReauthentication(authForm, methods);
  const { revalidate } = useRevalidator();
  const close = () => {
    reauthentication.reset();
    props.onClose();
  };
  const name = identity ? getIdentityName(identity) : '';

  const unlink = ({ id }: Identity, form: FormData) =>
    void authForm.submit([], (auth) =>
      reauthentication.run(auth, form, async (attributes) => {
        const reauthenticationError = await reauthenticateSession(auth, attributes);
        if (reauthenticationError) return reauthenticationError;
        const { data, error: loadError } = await auth.getUserIdentities();
        if (loadError) return loadError;
        const linked = data.identities.find(({ identity_id: linkedId }) => linkedId === id);
        const error = linked ? (await auth.unlinkIdentity(linked)).error : null;
        if (error) return error;
        await revalidate();
        close();
        showToast({ title: `${name} unlinked` });
        return null;
      }),
    );

  return (
    <Dialog
      open={identity !== undefined}
      onClose={close}
      title={`Unlink ${name}?`}
      description="You’ll no longer be able to sign in with it. Your other sign-in methods will still work."
      width="narrow"
    >
      {identity && (
        <AccountForm
          submitLabel="Unlink"
          danger
          authForm={authForm}
          onCancel={close}
          onSubmit={(form) => unlink(identity, form)}
        >
          {reauthentication.fields}
        </AccountForm>
      )}
    </Dialog>
  );
}

export function getIdentityName({ provider }: Identity): string {
  return provider === 'email' ? 'Email' : getProviderName(provider);
}
