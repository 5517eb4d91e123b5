import type { AuthError, SupabaseClient } from '@supabase/supabase-js';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/text-field.tsx';
import type { Attempt } from './attempt.ts';
import { CodeField, takeFocus } from './fields.tsx';
import { MailDelivery } from './mail-delivery.tsx';

/** How somebody who is signed in shows anew that it is they. */
export type ProofKind = 'password' | 'mailed code' | 'authenticator';

interface ProofFieldsProps {
  kind: ProofKind;
  attempt: Attempt;
  /** Has a code mailed to who has no password at hand. */
  mail: (auth: SupabaseClient['auth']) => Promise<{ error: AuthError | null }>;
  onMailed: () => void;
}

/** Asks for it: the password until now as `current`, or a code as `code`. */
export function ProofFields({ kind, attempt, mail, onMailed }: ProofFieldsProps) {
  const mailCode = () =>
    attempt.send([], async (auth) => {
      const { error } = await mail(auth);
      if (!error) onMailed();
      return error;
    });
  if (kind === 'authenticator') {
    return <CodeField attempt={attempt} ref={takeFocus} description="From your authenticator." />;
  }
  if (kind === 'mailed code') {
    return (
      <>
        <CodeField
          attempt={attempt}
          label="Code from the mail"
          ref={takeFocus}
          description="In the email to the address of your account."
        />
        <MailDelivery />
      </>
    );
  }
  return (
    <TextField
      label="Current password"
      name="current"
      type="password"
      autoComplete="current-password"
      ref={takeFocus}
      error={attempt.errorOf('current')}
      aside={
        <Button size="small" variant="quiet" onClick={() => void mailCode()}>
          Mail me a code instead
        </Button>
      }
    />
  );
}
