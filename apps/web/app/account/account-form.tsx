import { useEffect, useRef, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { DialogActions } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { useHydrated } from '../ui/hydrated.ts';
import styles from './account-form.module.css';
import type { Attempt } from './attempt.ts';

interface AccountFormProps {
  /** What the button says it does. */
  submit: string;
  attempt: Attempt;
  /** Among other forms: the button is one of many and as wide as its words. */
  inline?: boolean;
  /** In a dialog: the button stands at its end, beside one that closes it. */
  onCancel?: () => void;
  /** In a dialog: what it does cannot be taken for something harmless. */
  danger?: boolean;
  onSubmit: (form: FormData) => void;
  children?: ReactNode;
}

/**
 * The form of an account screen. It posts nothing by itself: what is typed goes to the auth server
 * from the browser, so the button waits until the page's script is there.
 */
export function AccountForm(props: AccountFormProps) {
  const { submit, attempt, inline = false, onCancel, danger = false, onSubmit, children } = props;
  const { busy, trouble, refusals } = attempt;
  const form = useRef<HTMLFormElement>(null);
  const ready = useHydrated();
  useEffect(() => {
    if (refusals > 0) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [refusals]);
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
          {trouble && <ErrorNotice code={trouble.code} details={trouble.details} />}
          <DialogActions>
            <Button onClick={onCancel}>Cancel</Button>
            <Button type="submit" variant={danger ? 'danger' : 'primary'} busy={busy}>
              {submit}
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
            {submit}
          </Button>
          {trouble && <ErrorNotice code={trouble.code} details={trouble.details} />}
        </>
      )}
    </form>
  );
}

/** A form's text; fields that are not there are empty. */
export function readText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}

/** A code as people copy it: "123 456" → "123456". */
export function readCode(form: FormData): string {
  return readText(form, 'code').replaceAll(/\s/g, '');
}
