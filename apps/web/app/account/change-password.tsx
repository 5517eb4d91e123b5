import { useRef } from 'react';
import { AccountForm } from './account-form.tsx';
import { NewPasswordField } from './fields.tsx';
import { useNewPassword } from './use-new-password.ts';

export function ChangePassword({ email, username }: { email: string; username: string }) {
  const field = useRef<HTMLInputElement>(null);
  const { attempt, proof, change } = useNewPassword({ email, username }, () => {
    if (field.current) field.current.value = '';
  });
  return (
    <AccountForm inline submit="Change password" attempt={attempt} onSubmit={change}>
      <NewPasswordField ref={field} attempt={attempt} label="New password" />
      {proof.fields}
    </AccountForm>
  );
}
