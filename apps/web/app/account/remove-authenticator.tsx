import { useRevalidator } from 'react-router';
import { Dialog } from '../ui/dialog.tsx';
import { showToast } from '../ui/toast.tsx';
import type { Authenticator, SignInMethods } from './account-details.ts';
import { AccountForm } from './account-form.tsx';
import { useAttempt } from './attempt.ts';
import { authenticateFirst, useReauthentication } from './reauthentication.tsx';

interface RemoveAuthenticatorProps {
  /** The one that is to go; undefined while the dialog is closed. */
  authenticator: Authenticator | undefined;
  methods: SignInMethods;
  onClose: () => void;
}

export function RemoveAuthenticator(props: RemoveAuthenticatorProps) {
  const { authenticator, methods } = props;
  const attempt = useAttempt();
  const reauthentication = useReauthentication(attempt, methods);
  const { revalidate } = useRevalidator();
  const close = () => {
    reauthentication.reset();
    props.onClose();
  };

  const remove = ({ id, name }: Authenticator, form: FormData) =>
    void attempt.send([], (auth) =>
      reauthentication.run(auth, form, async (attributes) => {
        const refused = await authenticateFirst(auth, attributes);
        const error = refused ?? (await auth.mfa.unenroll({ factorId: id })).error;
        if (error) return error;
        // Whoever showed the one that went shows another, if there is one.
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
          ? 'This is your last authenticator. You’ll no longer need a code to sign in.'
          : 'You can’t sign in with its codes anymore. Your other authenticators keep working.'
      }
      width="narrow"
    >
      {authenticator && (
        <AccountForm
          submit="Remove"
          danger
          attempt={attempt}
          onCancel={close}
          onSubmit={(form) => remove(authenticator, form)}
        >
          {reauthentication.fields}
        </AccountForm>
      )}
    </Dialog>
  );
}
