import { useEffect, useRef, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { DialogActions } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { useHydrated } from '../ui/hydrated.ts';
import styles from './account-form.module.css';
import type { AuthFormState } from './use-auth-form.ts';

interface AccountFormProps {
  submitLabel: string;
  /** Label of the submit button while the form is being submitted, which may take seconds. */
  busyLabel?: string;
  authForm: AuthFormState;
  /** Shows a secondary button as wide as its label, for a page with several forms. */
  inline?: boolean;
  /** Lays the buttons out as in a dialog: Cancel, then submit. */
  onCancel?: () => void;
  /** Styles the submit button as destructive. Only in a dialog. */
  danger?: boolean;
  onSubmit: (form: FormData) => void;
  children?: ReactNode;
}

/**
 * The form of an account screen. The browser sends its values to the auth server with JavaScript,
 * so the button is disabled until the page has hydrated. After a failure, the first invalid field
 * gets the focus.
 */
export function AccountForm(props: AccountFormProps) {
  const {
    submitLabel,
    busyLabel = submitLabel,
    authForm,
    inline = false,
    onCancel,
    danger = false,
  } = props;
  const { onSubmit, children } = props;
  const { busy, formError, failureCount } = authForm;
  const form = useRef<HTMLFormElement>(null);
  const ready = useHydrated();
  useEffect(() => {
    if (failureCount > 0) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [failureCount]);
  return (
    <form
      ref={form}
      method="post"
      noValidate
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) onSubmit(new FormData(event.currentTarget));
      }}
    >
      {children}
      {onCancel ? (
        <>
          {formError && <ErrorNotice code={formError.code} details={formError.details} />}
          <DialogActions>
            <Button onClick={onCancel}>Cancel</Button>
            <Button type="submit" variant={danger ? 'danger' : 'primary'} busy={busy}>
              {busy ? busyLabel : submitLabel}
            </Button>
          </DialogActions>
        </>
      ) : (
        <>
          <Button
            type="submit"
            variant={inline ? 'secondary' : 'primary'}
            busy={busy}
            disabled={!ready}
            className={inline ? styles.inline : styles.submit}
          >
            {busy ? busyLabel : submitLabel}
          </Button>
          {formError && <ErrorNotice code={formError.code} details={formError.details} />}
        </>
      )}
    </form>
  );
}

/** The text of a field; empty when the form has no such field. */
export function readText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}

/** The digits of the field `code`: "123 456" → "123456". */
export function readCode(form: FormData): string {
  return readText(form, 'code').replaceAll(/\s/g, '');
}
