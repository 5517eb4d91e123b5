import { useRef } from 'react';
import type { SignInMethods } from './account-details.ts';
import { AccountForm } from './account-form.tsx';
import { NewPasswordField } from './fields.tsx';
import { useNewPassword } from './use-new-password.ts';

interface ChangePasswordProps {
  email: string;
  username: string;
  methods: SignInMethods;
}

export function ChangePassword(account: ChangePasswordProps) {
  const field = useRef<HTMLInputElement>(null);
  const { authForm, reauthentication, change } = useNewPassword(account, () => {
    if (field.current) field.current.value = '';
  });
  return (
    <AccountForm inline submitLabel="Change password" authForm={authForm} onSubmit={change}>
      <NewPasswordField ref={field} authForm={authForm} label="New password" />
      {reauthentication.fields}
    </AccountForm>
  );
}
