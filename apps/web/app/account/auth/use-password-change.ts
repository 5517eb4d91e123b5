import { validatePassword } from '@vitrine/project';
import { showToast } from '../../ui/toast.tsx';
import { readText } from '../account-form.tsx';
import { useAuthForm, type AuthFormState } from '../use-auth-form.ts';
import type { SignInMethods } from '../settings/account-details.ts';
import { useReauthentication, type Reauthentication } from '../settings/reauthentication.tsx';

interface PasswordChange {
  readonly authForm: AuthFormState;
  readonly reauthentication: Reauthentication;
  change(form: FormData): void;
}

/**
 * Changes the signed-in user's password to the one entered in the form, shows a toast and calls
 * `onChanged`. The account's email and username may not be used as the password.
 */
export function usePasswordChange(
  account: { email: string; username: string; methods: SignInMethods },
  onChanged: () => void | Promise<void>,
): PasswordChange {
  const authForm = useAuthForm();
  const reauthentication = useReauthentication(authForm, account.methods);
  const change = (form: FormData) => {
    const password = readText(form, 'password');
    void authForm.submit([['password', validatePassword(password, account)]], (auth) =>
      reauthentication.run(auth, form, async (attributes) => {
        const { error } = await auth.updateUser({ password, ...attributes });
        // Choosing the current password again isn't an error for the user.
        if (error && error.code !== 'same_password') return error;
        showToast({ title: 'Password changed' });
        await onChanged();
        return null;
      }),
    );
  };
  return { authForm, reauthentication, change };
}
