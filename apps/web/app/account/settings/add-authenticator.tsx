import type { AuthMFAEnrollTOTPResponse } from '@supabase/supabase-js';
import { useState } from 'react';
import { useRevalidator } from 'react-router';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { showToast } from '../../ui/toast.tsx';
import { AccountForm, readCode, readText } from '../account-form.tsx';
import type { SignInMethods } from './account-details.ts';
import styles from './add-authenticator.module.css';
import { useAuthForm } from '../use-auth-form.ts';
import { CodeField, focusOnMount } from '../fields.tsx';
import { reauthenticateSession, useReauthentication } from './reauthentication.tsx';

type Enrolled = NonNullable<AuthMFAEnrollTOTPResponse['data']>;

interface AddAuthenticatorProps {
  open: boolean;
  methods: SignInMethods;
  onClose: () => void;
}

/** Dialog in two steps: name the authenticator, then scan its key and verify a first code. */
export function AddAuthenticator({ open, methods, onClose }: AddAuthenticatorProps) {
  const [enrolled, setEnrolled] = useState<Enrolled>();
  const close = () => {
    setEnrolled(undefined);
    onClose();
  };
  return (
    <Dialog open={open} onClose={close} title="Add authenticator app" width="narrow">
      {enrolled ? (
        <ShowKey
          enrolled={enrolled}
          isFirst={methods.authenticators.length === 0}
          onClose={close}
        />
      ) : (
        <ChooseName methods={methods} onEnrolled={setEnrolled} onClose={close} />
      )}
    </Dialog>
  );
}

function ChooseName({ methods, onEnrolled, onClose }: ChooseNameProps) {
  const authForm = useAuthForm();
  const reauthentication = useReauthentication(authForm, methods);

  const enroll = (form: FormData) =>
    authForm.submit([], (auth) =>
      reauthentication.run(auth, form, async (attributes) => {
        const reauthenticationError = await reauthenticateSession(auth, attributes);
        if (reauthenticationError) return reauthenticationError;
        const { mfa } = auth;
        // An abandoned enrollment would still hold the name.
        const { data: listed } = await mfa.listFactors();
        const abandoned = listed?.all.filter((factor) => factor.status === 'unverified') ?? [];
        await Promise.all(abandoned.map(({ id }) => mfa.unenroll({ factorId: id })));
        const { data, error } = await mfa.enroll({
          factorType: 'totp',
          issuer: 'Vitrine',
          friendlyName: readText(form, 'name').trim() || 'Authenticator app',
        });
        if (data) onEnrolled(data);
        return error;
      }),
    );

  return (
    <AccountForm
      submitLabel="Continue"
      authForm={authForm}
      onCancel={onClose}
      onSubmit={(form) => void enroll(form)}
    >
      <TextField
        label="Name"
        name="name"
        defaultValue="Phone"
        maxLength={60}
        autoComplete="off"
        onFocus={(event) => event.currentTarget.select()}
        error={authForm.getFieldError('name')}
        description="Helps you tell your authenticator apps apart, for example “Phone” or “Password manager”."
      />
      {reauthentication.fields}
    </AccountForm>
  );
}

interface ChooseNameProps {
  methods: SignInMethods;
  onEnrolled: (enrolled: Enrolled) => void;
  onClose: () => void;
}

function ShowKey({ enrolled, isFirst, onClose }: ShowKeyProps) {
  const authForm = useAuthForm();
  const { revalidate } = useRevalidator();
  const [isCopied, setCopied] = useState(false);
  const { id: factorId, totp, friendly_name: name } = enrolled;

  const verify = (form: FormData) => {
    const code = readCode(form);
    void authForm.submit([['code', code === '' ? 'code_required' : undefined]], async (auth) => {
      const { error } = await auth.mfa.challengeAndVerify({ factorId, code });
      if (error) return error;
      await revalidate();
      showToast({ title: `${name ?? 'Authenticator app'} added` });
      onClose();
      return null;
    });
  };

  return (
    <AccountForm submitLabel="Add" authForm={authForm} onCancel={onClose} onSubmit={verify}>
      <p className={styles.text}>
        Scan this QR code with your authenticator app, or enter the setup key.
        {isFirst && ' You’ll be signed out on your other devices.'}
      </p>
      <img className={styles.picture} src={toImageUrl(totp.qr_code)} alt="QR code" />
      <div className={styles.key}>
        <TextField
          label="Setup key"
          readOnly
          value={groupByFour(totp.secret)}
          onFocus={(event) => event.currentTarget.select()}
          aside={
            <Button
              size="small"
              variant="quiet"
              onClick={() => void copyText(totp.secret).then(() => setCopied(true))}
            >
              Copy setup key
            </Button>
          }
          description={isCopied && 'Copied'}
        />
      </div>
      <CodeField authForm={authForm} label="Code from your authenticator app" ref={focusOnMount} />
    </AccountForm>
  );
}

interface ShowKeyProps {
  enrolled: Enrolled;
  /** Whether it is the account's first authenticator: other sessions are signed out then. */
  isFirst: boolean;
  onClose: () => void;
}

/** The auth client's data URL holds unencoded SVG, in which a `#` would start the fragment. */
function toImageUrl(qrCode: string): string {
  const svg = qrCode.slice(qrCode.indexOf('<'));
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** "ABCDEFGHIJ" → "ABCD EFGH IJ", which is easier to type. */
function groupByFour(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(' ') ?? secret;
}
