import { findPasswordProblem } from '@vitrine/project';
import { showToast } from '../ui/toast.tsx';
import { readText } from './account-form.tsx';
import { useAttempt, type Attempt } from './attempt.ts';
import { useProof, type Proof } from './proof.tsx';

interface NewPassword {
  readonly attempt: Attempt;
  readonly proof: Proof;
  change(form: FormData): void;
}

/** Changes the password of who is signed in to the form's, says so and goes on with `done`. */
export function useNewPassword(
  account: { email: string; username: string },
  done: () => void | Promise<void>,
): NewPassword {
  const attempt = useAttempt();
  const proof = useProof(attempt);
  const change = (form: FormData) => {
    const password = readText(form, 'password');
    void attempt.send([['password', findPasswordProblem(password, account)]], async (auth) => {
      const { error } = await auth.updateUser({ password, ...proof.read(form) });
      // The same password again is what the person wanted, too.
      if (error && error.code !== 'same_password') return proof.judge(error);
      proof.end();
      showToast({ title: 'Your password is changed' });
      await done();
      return null;
    });
  };
  return { attempt, proof, change };
}
