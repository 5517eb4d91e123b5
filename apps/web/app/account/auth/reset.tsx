import { useNavigate, useRevalidator } from 'react-router';
import { requestContext } from '../../request-context.ts';
import { useClient } from '../../session/use-client.ts';
import { endRecovery } from '../../session/recovery.ts';
import { signOut } from '../../session/sign-out.ts';
import { useViewer } from '../../session/viewer.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import type { Route } from './+types/reset';
import type { SignInMethods } from '../settings/account-details.ts';
import { findPendingMfaUser, getAccount } from '../settings/account-details.server.ts';
import { AccountForm } from '../account-form.tsx';
import { AuthPage } from './auth-page.tsx';
import { NewPasswordField } from '../fields.tsx';
import { MfaStep } from './mfa-step.tsx';
import { usePasswordChange } from './use-password-change.ts';

export const meta: Route.MetaFunction = () => [{ title: 'Choose a new password — Vitrine' }];

export async function loader({ context }: Route.LoaderArgs) {
  const request = context.get(requestContext);
  const account = request.claims ? await getAccount(request) : null;
  return {
    pendingMfaUser: await findPendingMfaUser(request),
    authenticators: account?.authenticators ?? [],
  };
}

/** Landing page of a password reset: the emailed link has signed this browser in. */
export default function Reset({ loaderData }: Route.ComponentProps) {
  const { pendingMfaUser, authenticators } = loaderData;
  const viewer = useViewer();
  const { revalidate } = useRevalidator();
  if (pendingMfaUser) return <MfaStep user={pendingMfaUser} onVerified={revalidate} />;
  if (viewer) {
    return (
      <ChoosePassword
        email={viewer.email}
        username={viewer.username ?? ''}
        // The user has forgotten the password, so it can't be used to re-authenticate.
        methods={{ hasPassword: false, authenticators }}
      />
    );
  }
  return (
    <AuthPage title="Choose a new password">
      <ErrorNotice code="link_expired">
        <ButtonLink to="/auth/forgot" size="small">
          Request a new link
        </ButtonLink>
      </ErrorNotice>
    </AuthPage>
  );
}

interface ChoosePasswordProps {
  email: string;
  username: string;
  methods: SignInMethods;
}

function ChoosePassword({ email, username, methods }: ChoosePasswordProps) {
  const getClient = useClient();
  const navigate = useNavigate();

  const { authForm, reauthentication, change } = usePasswordChange(
    { email, username, methods },
    async () => {
      endRecovery();
      await navigate('/', { replace: true });
    },
  );

  // Opening the link signed this browser in, which canceling must undo.
  const cancel = async () => {
    endRecovery();
    await signOut(await getClient(), 'local');
    await navigate('/', { replace: true });
  };

  return (
    <AuthPage title="Choose a new password" intro={<p>For {email}.</p>}>
      <AccountForm submitLabel="Change password" authForm={authForm} onSubmit={change}>
        <input type="hidden" name="email" autoComplete="username" value={email} readOnly />
        <NewPasswordField authForm={authForm} label="New password" />
        {reauthentication.fields}
      </AccountForm>
      <Button variant="quiet" onClick={cancel}>
        Cancel and sign out
      </Button>
    </AuthPage>
  );
}
