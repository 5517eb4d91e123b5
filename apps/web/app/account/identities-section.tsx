import { useState } from 'react';
import { callbackPath, withNext } from '../session/next-path.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import type { Identity } from './account-details.ts';
import { useAttempt } from './attempt.ts';
import { isProvider, nameProvider } from './provider-names.ts';
import styles from './row-list.module.css';
import settings from './settings.module.css';
import { nameIdentity, UnlinkIdentity } from './unlink-identity.tsx';

interface SectionProps {
  identities: readonly Identity[];
  /** Those that are turned on. */
  providers: readonly string[];
  origin: string;
}

/** The ways to sign in to the account; nothing where there is but the one by e-mail. */
export function IdentitiesSection({ identities, providers, origin }: SectionProps) {
  const { busy, trouble, send } = useAttempt();
  const [unlinked, setUnlinked] = useState<Identity>();
  const others = providers.filter((name) => !identities.some(({ provider }) => provider === name));
  if (identities.length < 2 && providers.length === 0) return null;

  const link = (provider: string) =>
    send([], async (auth) => {
      if (!isProvider(provider)) throw new Error(`${provider} is no provider`);
      const redirectTo = origin + withNext(callbackPath, '/settings/account');
      const { error } = await auth.linkIdentity({ provider, options: { redirectTo } });
      return error;
    });

  return (
    <section className={settings.section} aria-labelledby="identities-heading">
      <h2 id="identities-heading" className={settings.heading}>
        Ways to sign in
      </h2>
      <ul className={styles.list} aria-labelledby="identities-heading">
        {identities.map((identity) => (
          <li key={identity.id} className={styles.row}>
            <div className={styles.words}>
              <p className={styles.name}>{nameIdentity(identity)}</p>
              {identity.email && <p className={settings.note}>{identity.email}</p>}
            </div>
            {identities.length > 1 && (
              <Button
                size="small"
                aria-label={`Unlink ${nameIdentity(identity)}`}
                onClick={() => setUnlinked(identity)}
              >
                Unlink
              </Button>
            )}
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <div className={settings.buttons}>
          {others.map((provider) => (
            <Button key={provider} disabled={busy} onClick={() => void link(provider)}>
              Link {nameProvider(provider)}
            </Button>
          ))}
        </div>
      )}
      {trouble && <ErrorNotice code={trouble.code} details={trouble.details} />}
      <UnlinkIdentity identity={unlinked} onClose={() => setUnlinked(undefined)} />
    </section>
  );
}
