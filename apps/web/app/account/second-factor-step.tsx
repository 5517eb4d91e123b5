import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/select.tsx';
import { useSignOut } from '../ui/account-menu.tsx';
import type { Claimant } from './account-details.ts';
import { AccountForm, readCode } from './account-form.tsx';
import { AccountPage } from './account-page.tsx';
import { useAttempt } from './attempt.ts';
import { CodeField, takeFocus } from './fields.tsx';
import styles from './second-factor-step.module.css';

/** The step after signing in of who has a second factor; then the session is theirs. */
export function SecondFactorStep({ claimant, onShown }: StepProps) {
  const { email, authenticators } = claimant;
  const attempt = useAttempt();
  const leave = useSignOut();
  const [chosen, setChosen] = useState(authenticators[0]?.id ?? '');

  const show = (form: FormData) => {
    const code = readCode(form);
    void attempt.send([['code', code === '' ? 'code_wrong' : undefined]], async (auth) => {
      const { error } = await auth.mfa.challengeAndVerify({ factorId: chosen, code });
      if (!error) await onShown();
      return error;
    });
  };

  return (
    <AccountPage
      title="Enter your code"
      intro={<p>For {email}. Your authenticator has a new code every 30 seconds.</p>}
      footer={
        authenticators.length > 1
          ? 'If all of them are lost, write to whoever runs this place.'
          : 'If it is lost, write to whoever runs this place.'
      }
    >
      <AccountForm submit="Go on" attempt={attempt} onSubmit={show}>
        {authenticators.length > 1 && (
          <div className={styles.choice}>
            <Select
              label="Authenticator"
              value={chosen}
              options={authenticators.map(({ id, name }) => ({ value: id, label: name }))}
              onChange={setChosen}
            />
          </div>
        )}
        <CodeField attempt={attempt} ref={takeFocus} />
      </AccountForm>
      <Button variant="quiet" onClick={leave}>
        Sign out
      </Button>
    </AccountPage>
  );
}

interface StepProps {
  claimant: Claimant;
  /** Goes on with the session that has shown it. */
  onShown: () => void | Promise<void>;
}
