import { useState } from 'react';
import { useRevalidator } from 'react-router';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { showToast } from '../../ui/toast.tsx';
import { AccountForm, readCode } from '../account-form.tsx';
import form from '../account-form.module.css';
import { useAuthForm } from '../use-auth-form.ts';
import { CodeField, focusOnMount } from '../fields.tsx';
import { MailDeliveryNote } from '../mail-delivery-note.tsx';
import settingsStyles from '../settings/settings.module.css';

/** Warning on forms whose email may be the first to verify the address. */
export function UnverifiedNote() {
  return (
    <p className={settingsStyles.note}>
      If your email address has never been verified, this removes your password, authenticator apps,
      and linked sign-in methods and signs out your other devices. Your projects aren’t affected.
    </p>
  );
}

/**
 * Verification for an account that was signed in before its email was verified. Until then, whoever
 * owns the mailbox can take over the account by email, which resets its credentials. Entering a
 * code in the account's own session verifies it and resets nothing.
 */
export function VerifyEmail() {
  const authForm = useAuthForm();
  const { busy, formError, submit } = authForm;
  const { revalidate } = useRevalidator();
  const [isSent, setSent] = useState(false);

  const mail = () =>
    void submit([], async (auth) => {
      const { error } = await auth.reauthenticate();
      if (!error) setSent(true);
      return error;
    });
  const verify = (values: FormData) => {
    const nonce = readCode(values);
    void submit([['code', nonce === '' ? 'code_required' : undefined]], async (auth) => {
      const { error } = await auth.updateUser({ nonce });
      if (error) return error;
      // New tokens carry the verified address.
      await auth.refreshSession();
      showToast({ title: 'Email verified' });
      await revalidate();
      return null;
    });
  };

  return (
    <>
      <p className={settingsStyles.note}>
        This email address isn’t verified. Verify it before you sign in with an email link or reset
        your password, or your other sign-in methods will be removed.
      </p>
      {isSent ? (
        <>
          <AccountForm inline submitLabel="Verify" authForm={authForm} onSubmit={verify}>
            <CodeField
              authForm={authForm}
              label="Verification code"
              ref={focusOnMount}
              description="Sent to your account’s email address."
            />
          </AccountForm>
          <MailDeliveryNote />
        </>
      ) : (
        <Button busy={busy} onClick={mail} className={form.inline}>
          Verify email
        </Button>
      )}
      {formError && !isSent && <ErrorNotice code={formError.code} details={formError.details} />}
    </>
  );
}
