import { useState } from 'react';
import { useRevalidator } from 'react-router';
import { showToast } from '../ui/toast.tsx';
import { AccountForm, readCode } from './account-form.tsx';
import { useAttempt } from './attempt.ts';
import { CodeField } from './fields.tsx';
import { MailDelivery } from './mail-delivery.tsx';
import styles from './pending-email.module.css';

interface PendingEmailProps {
  /** The address that counts until both mailboxes have agreed. */
  email: string;
  wanted: string;
  /** The link in the new mailbox was opened. */
  isOpened: boolean;
}

/** A change of address that has begun, with what is missing still. */
export function PendingEmail({ email, wanted, isOpened }: PendingEmailProps) {
  const attempt = useAttempt();
  const { revalidate } = useRevalidator();
  const [hasAgreed, setAgreed] = useState(false);

  const agree = (form: FormData) => {
    const token = readCode(form);
    void attempt.send([['code', token === '' ? 'code_wrong' : undefined]], async (auth) => {
      const { data, error } = await auth.verifyOtp({ type: 'email_change', email, token });
      if (error) return error;
      if (data.session) showToast({ title: 'Email changed' });
      else setAgreed(true);
      await revalidate();
      return null;
    });
  };

  return (
    <fieldset className={styles.pending} aria-label="Pending email change">
      <p className={styles.words}>
        To change your email to <strong>{wanted}</strong>, confirm from both addresses within an
        hour. Until then, your email is still {email}.
      </p>
      <ul className={styles.steps}>
        <li>
          {isOpened
            ? `You opened the link in the email to ${wanted}.`
            : `Open the link in the email to ${wanted} in this browser.`}
        </li>
        <li>
          {hasAgreed
            ? `You entered the code from the email to ${email}.`
            : `Enter the code from the email to ${email}:`}
        </li>
      </ul>
      {!hasAgreed && (
        <AccountForm inline submit="Confirm" attempt={attempt} onSubmit={agree}>
          <CodeField attempt={attempt} label={`Code for ${email}`} />
        </AccountForm>
      )}
      <MailDelivery />
    </fieldset>
  );
}
