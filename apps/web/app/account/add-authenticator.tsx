import type { AuthMFAEnrollTOTPResponse } from '@supabase/supabase-js';
import { useState } from 'react';
import { useRevalidator } from 'react-router';
import { Button } from '../ui/button.tsx';
import { copyText } from '../ui/copy-text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/text-field.tsx';
import { showToast } from '../ui/toast.tsx';
import { AccountForm, readCode, readText } from './account-form.tsx';
import type { SignInMethods } from './account-details.ts';
import styles from './add-authenticator.module.css';
import { useAttempt } from './attempt.ts';
import { CodeField, takeFocus } from './fields.tsx';
import { authenticateFirst, useReauthentication } from './reauthentication.tsx';

type Enrolled = NonNullable<AuthMFAEnrollTOTPResponse['data']>;

interface AddAuthenticatorProps {
  open: boolean;
  methods: SignInMethods;
  onClose: () => void;
}

/** Names an authenticator, hands it its key, and has it show that it took it. */
export function AddAuthenticator({ open, methods, onClose }: AddAuthenticatorProps) {
  const [enrolled, setEnrolled] = useState<Enrolled>();
  const close = () => {
    setEnrolled(undefined);
    onClose();
  };
  return (
    <Dialog open={open} onClose={close} title="Add authenticator" width="narrow">
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
  const attempt = useAttempt();
  const reauthentication = useReauthentication(attempt, methods);

  const enroll = (form: FormData) =>
    attempt.send([], (auth) =>
      reauthentication.run(auth, form, async (attributes) => {
        const refused = await authenticateFirst(auth, attributes);
        if (refused) return refused;
        const { mfa } = auth;
        // One that was begun and given up would keep its name from this one.
        const { data: listed } = await mfa.listFactors();
        const begun = listed?.all.filter((factor) => factor.status === 'unverified') ?? [];
        await Promise.all(begun.map(({ id }) => mfa.unenroll({ factorId: id })));
        const { data, error } = await mfa.enroll({
          factorType: 'totp',
          issuer: 'Vitrine',
          friendlyName: readText(form, 'name').trim() || 'Authenticator',
        });
        if (data) onEnrolled(data);
        return error;
      }),
    );

  return (
    <AccountForm
      submit="Continue"
      attempt={attempt}
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
        error={attempt.errorOf('name')}
        description="Helps you tell authenticators apart, for example “Phone” or “Password manager”."
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
  const attempt = useAttempt();
  const { revalidate } = useRevalidator();
  const [isCopied, setCopied] = useState(false);
  const { id: factorId, totp, friendly_name: name } = enrolled;

  const verify = (form: FormData) => {
    const code = readCode(form);
    void attempt.send([['code', code === '' ? 'code_wrong' : undefined]], async (auth) => {
      const { error } = await auth.mfa.challengeAndVerify({ factorId, code });
      if (error) return error;
      await revalidate();
      showToast({ title: `${name ?? 'Authenticator'} added` });
      onClose();
      return null;
    });
  };

  return (
    <AccountForm submit="Add" attempt={attempt} onCancel={onClose} onSubmit={verify}>
      <p className={styles.words}>
        Scan this QR code with your authenticator app, or enter the key.
        {isFirst && ' This signs you out on your other devices.'}
      </p>
      <img className={styles.picture} src={asImage(totp.qr_code)} alt="QR code" />
      <div className={styles.key}>
        <TextField
          label="Key"
          readOnly
          value={inFours(totp.secret)}
          onFocus={(event) => event.currentTarget.select()}
          aside={
            <Button
              size="small"
              variant="quiet"
              onClick={() => void copyText(totp.secret).then(() => setCopied(true))}
            >
              Copy key
            </Button>
          }
          description={isCopied && 'Copied'}
        />
      </div>
      <CodeField attempt={attempt} label="Code from the authenticator app" ref={takeFocus} />
    </AccountForm>
  );
}

interface ShowKeyProps {
  enrolled: Enrolled;
  /** With the first one, devices that have shown none are signed out. */
  isFirst: boolean;
  onClose: () => void;
}

/** The client hands over SVG behind a prefix, unencoded: a `#` in it would end the address. */
function asImage(qrCode: string): string {
  const svg = qrCode.slice(qrCode.indexOf('<'));
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** "ABCDEFGHIJ" → "ABCD EFGH IJ", as it is easier to type. */
function inFours(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(' ') ?? secret;
}
