import { useState } from 'react';
import { callbackPath, withNextPath } from '../../session/next-path.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import type { Identity, SignInMethods } from './account-details.ts';
import { AccountForm } from '../account-form.tsx';
import { useAuthForm } from '../use-auth-form.ts';
import { isOAuthProvider, getProviderName } from '../provider-names.ts';
import { reauthenticateSession, useReauthentication } from './reauthentication.tsx';
import styles from '../../ui/lists/row-list.module.css';
import settingsStyles from './settings.module.css';
import { getIdentityName, UnlinkIdentityDialog } from './unlink-identity-dialog.tsx';

interface IdentitiesSectionProps {
  identities: readonly Identity[];
  methods: SignInMethods;
  /** OAuth providers that are enabled on this instance. */
  providers: readonly string[];
  origin: string;
}

/**
 * The account's sign-in methods. Renders nothing if there is only one and no provider to link, too.
 */
export function IdentitiesSection({
  identities,
  methods,
  providers,
  origin,
}: IdentitiesSectionProps) {
  const authForm = useAuthForm();
  const { busy, formError } = authForm;
  const reauthentication = useReauthentication(authForm, methods);
  /** The provider that is being linked; empty if none. */
  const [linkingProvider, setLinkingProvider] = useState('');
  /** The identity to unlink, while its dialog is open. */
  const [unlinking, setUnlinking] = useState<Identity>();
  const linkableProviders = providers.filter(
    (name) => !identities.some(({ provider }) => provider === name),
  );
  if (identities.length < 2 && providers.length === 0) return null;

  const link = (provider: string, form: FormData) => {
    setLinkingProvider(provider);
    void authForm.submit([], (auth) =>
      reauthentication.run(auth, form, async (attributes) => {
        if (!isOAuthProvider(provider)) throw new Error(`not a provider: ${provider}`);
        const reauthenticationError = await reauthenticateSession(auth, attributes);
        if (reauthenticationError) return reauthenticationError;
        const redirectTo = origin + withNextPath(callbackPath, '/settings/account');
        const { error } = await auth.linkIdentity({ provider, options: { redirectTo } });
        return error;
      }),
    );
  };

  return (
    <section className={settingsStyles.section} aria-labelledby="identities-heading">
      <h2 id="identities-heading" className={settingsStyles.heading}>
        Sign-in methods
      </h2>
      <ul className={styles.list} aria-labelledby="identities-heading">
        {identities.map((identity) => (
          <li key={identity.id} className={styles.row}>
            <div className={styles.text}>
              <p className={styles.name}>{getIdentityName(identity)}</p>
              {identity.email && <p className={settingsStyles.note}>{identity.email}</p>}
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
      {linkableProviders.length > 0 && (
        <div className={settingsStyles.buttons}>
          {linkableProviders.map((provider) => (
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
        title={`Link ${getProviderName(linkingProvider)}`}
        width="narrow"
      >
        <AccountForm
          submitLabel="Continue"
          authForm={authForm}
          onCancel={reauthentication.reset}
          onSubmit={(form) => link(linkingProvider, form)}
        >
          {reauthentication.fields}
        </AccountForm>
      </Dialog>
      <UnlinkIdentityDialog
        identity={unlinking}
        methods={methods}
        onClose={() => setUnlinking(undefined)}
      />
    </section>
  );
}
