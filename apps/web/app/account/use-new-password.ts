import { findPasswordProblem } from '@vitrine/project';
import { showToast } from '../ui/toast.tsx';
import { readText } from './account-form.tsx';
import { useAttempt, type Attempt } from './attempt.ts';
import type { SignInMethods } from './account-details.ts';
import { useReauthentication, type Reauthentication } from './reauthentication.tsx';

interface NewPassword {
  readonly attempt: Attempt;
  readonly reauthentication: Reauthentication;
  change(form: FormData): void;
}

/** Changes the password of who is signed in to the form's, says so and goes on with `done`. */
export function useNewPassword(
  account: { email: string; username: string; methods: SignInMethods },
  done: () => void | Promise<void>,
): NewPassword {
  const attempt = useAttempt();
  const reauthentication = useReauthentication(attempt, account.methods);
  const change = (form: FormData) => {
    const password = readText(form, 'password');
    void attempt.send([['password', findPasswordProblem(password, account)]], (auth) =>
      reauthentication.run(auth, form, async (attributes) => {
        const { error } = await auth.updateUser({ password, ...attributes });
        // The same password again is what the person wanted, too.
        if (error && error.code !== 'same_password') return error;
        showToast({ title: 'Password changed' });
        await done();
        return null;
      }),
    );
  };
  return { attempt, reauthentication, change };
}
