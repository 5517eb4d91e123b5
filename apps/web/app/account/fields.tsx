import type { ComponentProps } from 'react';
import { TextField } from '../ui/text-field.tsx';
import type { Attempt } from './attempt.ts';

type FieldProps = Omit<ComponentProps<typeof TextField>, 'label'> & { attempt: Attempt };

export function EmailField({ attempt, ...field }: FieldProps) {
  return (
    <TextField
      {...field}
      label="Email"
      name="email"
      type="email"
      error={attempt.errorOf('email')}
    />
  );
}

/** As a field's `ref`: what is typed next belongs there, in a step that has just come on screen. */
export function takeFocus(field: HTMLInputElement | null): void {
  field?.focus();
}

/** For a code of digits, from an authenticator or a mail. */
export function CodeField({ attempt, label = 'Code', ...field }: FieldProps & { label?: string }) {
  return (
    <TextField
      {...field}
      label={label}
      name="code"
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={16}
      error={attempt.errorOf('code')}
    />
  );
}

/** For a password that is chosen, with what is asked of one. */
export function NewPasswordField({ attempt, label, ...field }: FieldProps & { label: string }) {
  return (
    <TextField
      {...field}
      label={label}
      name="password"
      type="password"
      autoComplete="new-password"
      error={attempt.errorOf('password')}
      description="At least 10 characters. A few random words work well."
    />
  );
}
