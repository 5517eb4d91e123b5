import type { ComponentProps } from 'react';
import { TextField } from '../ui/text-field.tsx';
import type { AuthFormState } from './use-auth-form.ts';

type FieldProps = Omit<ComponentProps<typeof TextField>, 'label'> & { authForm: AuthFormState };

export function EmailField({ authForm, ...field }: FieldProps) {
  return (
    <TextField
      {...field}
      label="Email"
      name="email"
      type="email"
      error={authForm.getFieldError('email')}
    />
  );
}

/** Ref callback that focuses a field when it is mounted, for the next step of a form. */
export function focusOnMount(field: HTMLInputElement | null): void {
  field?.focus();
}

/** Ref callback that focuses the first field of a page, unless another element has the focus. */
export function focusFirst(field: HTMLInputElement | null): void {
  if (document.activeElement === document.body) field?.focus();
}

/** Field for a one-time code, from an authenticator app or an email. */
export function CodeField({ authForm, label = 'Code', ...field }: FieldProps & { label?: string }) {
  return (
    <TextField
      {...field}
      label={label}
      name="code"
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={16}
      error={authForm.getFieldError('code')}
    />
  );
}

/** Field to choose a password, with the requirements as its description. */
export function NewPasswordField({ authForm, label, ...field }: FieldProps & { label: string }) {
  return (
    <TextField
      {...field}
      label={label}
      name="password"
      type="password"
      autoComplete="new-password"
      error={authForm.getFieldError('password')}
      description="At least 10 characters. A few random words work well."
    />
  );
}
