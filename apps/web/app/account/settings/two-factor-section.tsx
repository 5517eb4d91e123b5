import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import type { Authenticator, SignInMethods } from './account-details.ts';
import { AddAuthenticator } from './add-authenticator.tsx';
import { RemoveAuthenticatorDialog } from './remove-authenticator-dialog.tsx';
import styles from '../../ui/lists/row-list.module.css';
import settingsStyles from './settings.module.css';

/** Settings section for two-factor authentication: the account's authenticators. */
export function TwoFactorSection({ methods }: { methods: SignInMethods }) {
  const { authenticators } = methods;
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Authenticator>();
  return (
    <section className={settingsStyles.section} aria-labelledby="second-factor-heading">
      <h2 id="second-factor-heading" className={settingsStyles.heading}>
        Two-factor authentication
      </h2>
      <p className={settingsStyles.note}>
        {authenticators.length === 0
          ? 'Require a code from an authenticator app when you sign in.'
          : notes[authenticators.length === 1 ? 'one' : 'several']}
      </p>
      {authenticators.length > 0 && (
        <ul className={styles.list} aria-label="Authenticator apps">
          {authenticators.map((authenticator) => (
            <li key={authenticator.id} className={styles.row}>
              <div className={styles.text}>
                <p className={styles.name}>{authenticator.name}</p>
                <p className={settingsStyles.note}>
                  Added <RelativeTime at={authenticator.addedAt} />
                </p>
              </div>
              <Button
                size="small"
                aria-label={`Remove ${authenticator.name}`}
                onClick={() => setRemoving(authenticator)}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div className={settingsStyles.buttons}>
        <Button onClick={() => setAdding(true)}>Add authenticator app</Button>
      </div>
      <AddAuthenticator open={isAdding} methods={methods} onClose={() => setAdding(false)} />
      <RemoveAuthenticatorDialog
        authenticator={removing}
        methods={methods}
        onClose={() => setRemoving(undefined)}
      />
    </section>
  );
}

const notes = {
  one: 'You need a code from your authenticator app to sign in. Add a second authenticator app on another device. If you lose your only one, only your administrator can restore your access.',
  several:
    'You need a code from one of these authenticator apps to sign in. If you lose all of them, only your administrator can restore your access.',
};
