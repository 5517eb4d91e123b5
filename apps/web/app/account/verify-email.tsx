import { useState } from 'react';
import { useRevalidator } from 'react-router';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { showToast } from '../ui/toast.tsx';
import { AccountForm, readCode } from './account-form.tsx';
import form from './account-form.module.css';
import { useAttempt } from './attempt.ts';
import { CodeField, takeFocus } from './fields.tsx';
import { MailDelivery } from './mail-delivery.tsx';
import settings from './settings.module.css';

/** Said before a mail that may be the first proof of the mailbox is asked for. */
export function UnverifiedNote() {
  return (
    <p className={settings.note}>
      If your email address was never verified, this removes the account’s password, authenticators
      and linked accounts, and signs out other devices. Projects stay.
    </p>
  );
}

/**
 * For an account whose mailbox has not answered yet: until it has, whoever has the mailbox takes the
 * account over. A code that is typed in a session of the account itself takes nothing away.
 */
export function VerifyEmail() {
  const attempt = useAttempt();
  const { busy, trouble, send } = attempt;
  const { revalidate } = useRevalidator();
  const [isSent, setSent] = useState(false);

  const mail = () =>
    void send([], async (auth) => {
      const { error } = await auth.reauthenticate();
      if (!error) setSent(true);
      return error;
    });
  const verify = (typed: FormData) => {
    const nonce = readCode(typed);
    void send([['code', nonce === '' ? 'code_wrong' : undefined]], async (auth) => {
      const { error } = await auth.updateUser({ nonce });
      if (error) return error;
      // The session's tokens name the verified address from now on.
      await auth.refreshSession();
      showToast({ title: 'Email verified' });
      await revalidate();
      return null;
    });
  };

  return (
    <>
      <p className={settings.note}>
        This email address isn’t verified. Until it is, signing in by email or resetting your
        password removes your password, authenticators and linked accounts, and signs out your other
        devices.
      </p>
      {isSent ? (
        <>
          <AccountForm inline submit="Verify" attempt={attempt} onSubmit={verify}>
            <CodeField
              attempt={attempt}
              label="Verification code"
              ref={takeFocus}
              description="Sent to your account’s email address."
            />
          </AccountForm>
          <MailDelivery />
        </>
      ) : (
        <Button busy={busy} onClick={mail} className={form.inline}>
          Verify email
        </Button>
      )}
      {trouble && !isSent && <ErrorNotice code={trouble.code} details={trouble.details} />}
    </>
  );
}
