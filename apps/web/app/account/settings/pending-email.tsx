import { useState } from 'react';
import { useRevalidator } from 'react-router';
import { showToast } from '../../ui/toast.tsx';
import { AccountForm, readCode } from '../account-form.tsx';
import { useAuthForm } from '../use-auth-form.ts';
import { CodeField } from '../fields.tsx';
import { MailDeliveryNote } from '../mail-delivery-note.tsx';
import styles from './pending-email.module.css';

interface PendingEmailProps {
  /** The current address, in use until both addresses are confirmed. */
  email: string;
  newEmail: string;
  /** Whether the link sent to the new address was opened. */
  isLinkOpened: boolean;
}

/** A pending change of the email address, with the steps that are left. */
export function PendingEmail({ email, newEmail, isLinkOpened }: PendingEmailProps) {
  const authForm = useAuthForm();
  const { revalidate } = useRevalidator();
  const [isCodeEntered, setCodeEntered] = useState(false);

  const confirm = (form: FormData) => {
    const token = readCode(form);
    void authForm.submit([['code', token === '' ? 'code_required' : undefined]], async (auth) => {
      const { data, error } = await auth.verifyOtp({ type: 'email_change', email, token });
      if (error) return error;
      if (data.session) showToast({ title: 'Email changed' });
      else setCodeEntered(true);
      await revalidate();
      return null;
    });
  };

  return (
    <fieldset className={styles.pending} aria-label="Pending email change">
      <p className={styles.text}>
        To change your email to <strong>{newEmail}</strong>, confirm it from both addresses. Until
        then, your email is still {email}.
      </p>
      <ul className={styles.steps}>
        <li>
          {isLinkOpened
            ? `You opened the link in the email to ${newEmail}.`
            : `Open the link in the email to ${newEmail} in this browser.`}
        </li>
        <li>
          {isCodeEntered
            ? `You entered the code from the email to ${email}.`
            : `Enter the code from the email to ${email}:`}
        </li>
      </ul>
      {!isCodeEntered && (
        <AccountForm inline submitLabel="Confirm" authForm={authForm} onSubmit={confirm}>
          <CodeField authForm={authForm} label={`Code for ${email}`} />
        </AccountForm>
      )}
      <MailDeliveryNote />
    </fieldset>
  );
}
