import { findErrorCode, type ErrorCode } from '@vitrine/project';
import { useRef, useState } from 'react';
import { requestContext } from '../../request-context.ts';
import { parseStorageUsage } from '../../assets/storage-usage.ts';
import { useViewer, type Viewer } from '../../session/viewer.ts';
import { Button } from '../../ui/button.tsx';
import { downloadFile } from '../../ui/download.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import type { Route } from './+types/account';
import type { SignInMethods } from './account-details.ts';
import { getSignInMethods, getAccount } from './account-details.server.ts';
import { AccountForm } from '../account-form.tsx';
import { useAuthForm } from '../use-auth-form.ts';
import { invokeFunction } from './invoke-function.ts';
import { ChangeEmailForm } from './change-email-form.tsx';
import { DeleteSection } from './delete-section.tsx';
import { NewPasswordField } from '../fields.tsx';
import { PendingEmail } from './pending-email.tsx';
import { IdentitiesSection } from './identities-section.tsx';
import { requireSignedIn } from '../auth/auth-guards.server.ts';
import { TwoFactorSection } from './two-factor-section.tsx';
import { getSignInOptions } from '../auth/sign-in-options.server.ts';
import { StorageSection } from './storage-section.tsx';
import styles from './settings.module.css';
import { usePasswordChange } from '../auth/use-password-change.ts';
import { VerifyEmail } from '../auth/verify-email.tsx';
import { chooseFiles } from '../../workspace/tree/uploaded-files.ts';
import type { ArchiveDialog } from '../archive/archive-dialog.tsx';

export const meta: Route.MetaFunction = () => [{ title: 'Account — Vitrine' }];

export async function loader({ context, url }: Route.LoaderArgs) {
  const request = context.get(requestContext);
  requireSignedIn(request, url);
  const [account, { providers, confirmsEmail }, usage] = await Promise.all([
    getAccount(request),
    getSignInOptions(request),
    request.supabase.rpc('storage_usage'),
  ]);
  return {
    account,
    storageUsage: parseStorageUsage(usage.data),
    methods: getSignInMethods(account),
    providers,
    isUnverified: !confirmsEmail && !account.isEmailVerified,
    isEmailConfirmed: url.searchParams.get('email') === 'confirmed',
    origin: request.origin,
  };
}

export default function Account({ loaderData }: Route.ComponentProps) {
  const { account, storageUsage, methods, providers, isUnverified, isEmailConfirmed, origin } =
    loaderData;
  const viewer = useViewer();
  if (!viewer) return null;
  return (
    <div className={styles.sections}>
      <section className={styles.section} aria-labelledby="sign-in-heading">
        <h2 id="sign-in-heading" className={styles.heading}>
          Sign-in
        </h2>
        {account.pendingEmail && (
          <PendingEmail
            key={account.pendingEmail}
            email={viewer.email}
            newEmail={account.pendingEmail}
            isLinkOpened={isEmailConfirmed}
          />
        )}
        <ChangeEmailForm
          key={`beside ${account.pendingEmail}`}
          email={viewer.email}
          origin={origin}
          methods={methods}
        />
        {isUnverified && <VerifyEmail />}
        <ChangePassword email={viewer.email} username={viewer.username ?? ''} methods={methods} />
      </section>
      <IdentitiesSection
        identities={account.identities}
        methods={methods}
        providers={providers}
        origin={origin}
      />
      <TwoFactorSection methods={methods} />
      <StorageSection usage={storageUsage} />
      <DataSection viewer={viewer} />
      <DeleteSection viewer={viewer} methods={methods} />
    </div>
  );
}

interface ChangePasswordProps {
  email: string;
  username: string;
  methods: SignInMethods;
}

function ChangePassword(account: ChangePasswordProps) {
  const field = useRef<HTMLInputElement>(null);
  const { authForm, reauthentication, change } = usePasswordChange(account, () => {
    if (field.current) field.current.value = '';
  });
  return (
    <AccountForm inline submitLabel="Change password" authForm={authForm} onSubmit={change}>
      <NewPasswordField ref={field} authForm={authForm} label="New password" />
      {reauthentication.fields}
    </AccountForm>
  );
}

/** Settings section to download all data of the account as a zip, and to import such a zip. */
function DataSection({ viewer }: { viewer: Viewer }) {
  const { busy, formError, submit } = useAuthForm();
  const [chosen, setChosen] = useState<ChosenArchive>();
  const [failure, setFailure] = useState<ErrorCode>();

  const exportData = () =>
    submit([], async (_auth, client) => {
      const response = await invokeFunction(client, 'export-data', 'export_failed');
      if (response.code !== undefined) return { code: response.code };
      if (!(response.data instanceof Blob)) return { code: 'export_failed' };
      downloadFile(response.data, 'vitrine-data.zip');
      return null;
    });

  async function importData(): Promise<void> {
    const [found] = await chooseFiles({ multiple: false });
    if (!found) return;
    try {
      const { ArchiveDialog } = await import('../archive/archive-dialog.tsx');
      setFailure(undefined);
      setChosen({ zip: found.file, Dialog: ArchiveDialog });
    } catch (error) {
      setFailure(findErrorCode(error));
    }
  }

  return (
    <section className={styles.section} aria-labelledby="data-heading">
      <h2 id="data-heading" className={styles.heading}>
        Your data
      </h2>
      <p className={styles.note}>
        Download a zip of your account, profile, preferences, pictures, and projects, including
        projects in the trash. Drafts are stored only on the device where you made them.
      </p>
      <p className={styles.note}>
        Import a zip exported from this or another Vitrine instance to add its projects and
        collections.
      </p>
      <div className={styles.buttons}>
        <Button busy={busy} onClick={exportData}>
          Export my data
        </Button>
        <Button onClick={() => void importData()}>Import data…</Button>
      </div>
      {formError && <ErrorNotice code={formError.code} details={formError.details} />}
      {failure && <ErrorNotice code={failure} />}
      {chosen && (
        <chosen.Dialog zip={chosen.zip} viewer={viewer} onClose={() => setChosen(undefined)} />
      )}
    </section>
  );
}

/** A zip to import, and the dialog, which is loaded once it's needed. */
interface ChosenArchive {
  readonly zip: File;
  readonly Dialog: typeof ArchiveDialog;
}
