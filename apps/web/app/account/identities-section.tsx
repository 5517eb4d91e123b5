import { useState } from 'react';
import { callbackPath, withNextPath } from '../session/next-path.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import type { Identity, SignInMethods } from './account-details.ts';
import { AccountForm } from './account-form.tsx';
import { useAuthForm } from './use-auth-form.ts';
import { isProvider, getProviderName } from './provider-names.ts';
import { authenticateFirst, useReauthentication } from './reauthentication.tsx';
import styles from './row-list.module.css';
import settings from './settings.module.css';
import { getIdentityName, UnlinkIdentity } from './unlink-identity.tsx';

interface SectionProps {
  identities: readonly Identity[];
  methods: SignInMethods;
  /** OAuth providers that are enabled on this instance. */
  providers: readonly string[];
  origin: string;
}

/** The account's sign-in methods. Renders nothing if email is the only one possible. */
export function IdentitiesSection({ identities, methods, providers, origin }: SectionProps) {
  const authForm = useAuthForm();
  const { busy, formError } = authForm;
  const reauthentication = useReauthentication(authForm, methods);
  /** The provider that is being linked. */
  const [linking, setLinking] = useState('');
  /** The identity to unlink, while its dialog is open. */
  const [unlinking, setUnlinking] = useState<Identity>();
  const unlinked = providers.filter(
    (name) => !identities.some(({ provider }) => provider === name),
  );
  if (identities.length < 2 && providers.length === 0) return null;

  const link = (provider: string, form: FormData) => {
    setLinking(provider);
    void authForm.submit([], (auth) =>
      reauthentication.run(auth, form, async (attributes) => {
        if (!isProvider(provider)) throw new Error(`not a provider: ${provider}`);
        const refused = await authenticateFirst(auth, attributes);
        if (refused) return refused;
        const redirectTo = origin + withNextPath(callbackPath, '/settings/account');
        const { error } = await auth.linkIdentity({ provider, options: { redirectTo } });
        return error;
      }),
    );
  };

  return (
    <section className={settings.section} aria-labelledby="identities-heading">
      <h2 id="identities-heading" className={settings.heading}>
        Sign-in methods
      </h2>
      <ul className={styles.list} aria-labelledby="identities-heading">
        {identities.map((identity) => (
          <li key={identity.id} className={styles.row}>
            <div className={styles.text}>
              <p className={styles.name}>{getIdentityName(identity)}</p>
              {identity.email && <p className={settings.note}>{identity.email}</p>}
            </div>
            {identities.length > 1 && (
              <Button
                size="small"
                aria-label={`Unlink ${getIdentityName(identity)}`}
                onClick={() => setUnlinking(identity)}
              >
                Unlink
              </Button>
            )}
          </li>
        ))}
      </ul>
      {unlinked.length > 0 && (
        <div className={settings.buttons}>
          {unlinked.map((provider) => (
            <Button key={provider} disabled={busy} onClick={() => link(provider, new FormData())}>
              Link {getProviderName(provider)}
            </Button>
          ))}
        </div>
      )}
      {formError && !reauthentication.fields && (
        <ErrorNotice code={formError.code} details={formError.details} />
      )}
      <Dialog
        open={Boolean(reauthentication.fields)}
        onClose={reauthentication.reset}
        title={`Link ${getProviderName(linking)}`}
        width="narrow"
      >
        <AccountForm
          submitLabel="Continue"
          authForm={authForm}
          onCancel={reauthentication.reset}
          onSubmit={(form) => link(linking, form)}
        >
          {reauthentication.fields}
        </AccountForm>
      </Dialog>
      <UnlinkIdentity
        identity={unlinking}
        methods={methods}
        onClose={() => setUnlinking(undefined)}
      />
    </section>
  );
}
