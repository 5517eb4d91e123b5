import { describeError, findErrorCode, type ErrorCode } from '@vitrine/project';
import { useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { AuthPage } from '../account/auth/auth-page.tsx';
import { requestContext } from '../request-context.ts';
import { withNextPath } from '../session/next-path.ts';
import { useViewer } from '../session/viewer.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { routeError } from '../ui/page/route-error.ts';
import { RelativeTime } from '../ui/relative-time.tsx';
import { showToast } from '../ui/toast.tsx';
import type { Route } from './+types/invitation';
import styles from './invitation.module.css';
import { describeInvitation, describeRole } from './describe-invitation.ts';
import { usePeopleApi } from './people-api.ts';
import { parseFoundInvitation, type ProjectAccess, type ReceivedInvitation } from './people.ts';

/** `/invitations/TOKEN`, and `/invitations/ID` for the user whom it is for. */
export async function loader({ context, params }: Route.LoaderArgs) {
  const { supabase } = context.get(requestContext);
  const { data, error } = await supabase.rpc('read_invitation', { invitation: params.invitation });
  if (error) throw routeError('backend_unreachable');
  return parseFoundInvitation(data);
}

export const meta: Route.MetaFunction = () => [
  { title: 'Invitation — Vitrine' },
  // Whoever has the URL may use it.
  { name: 'referrer', content: 'no-referrer' },
  { name: 'robots', content: 'noindex' },
];

export { PageError as ErrorBoundary } from '../ui/page/page-error.tsx';

/** Shows who invites to what, and lets the user answer. */
export default function Invitation({ loaderData, params }: Route.ComponentProps) {
  const { problem, access, invitation } = loaderData;
  const viewer = useViewer();
  const address = `/invitations/${params.invitation}`;
  if (access && !(invitation && problem === null && isHigher(invitation, access)))
    return <AlreadyIn access={access} />;
  // Visitors can't be told whether an id exists.
  if (!viewer && problem === 'invitation_not_found' && isId(params.invitation))
    return (
      <AuthPage title="Sign in to see this invitation" intro="It’s for a specific account.">
        <SignInButtons next={address} />
      </AuthPage>
    );
  if (problem !== null || !invitation)
    return <Problem code={problem ?? 'invitation_not_found'} invitation={invitation} />;
  return (
    <AuthPage
      title={describeInvitation(invitation)}
      intro={
        <>
          <p>{describeRole(invitation.role)}</p>
          <p className={styles.note}>
            Expires <RelativeTime at={invitation.expiresAt} />
            {invitation.email !== null && ` · For ${invitation.email}`}
          </p>
        </>
      }
    >
      {viewer ? (
        <Answer invitation={invitation} address={params.invitation} />
      ) : (
        <SignInButtons next={address} />
      )}
    </AuthPage>
  );
}

/** True if the invitation would raise the role that the user has. */
function isHigher({ role }: ReceivedInvitation, access: ProjectAccess): boolean {
  const ranks = ['viewer', 'editor', 'owner'];
  return ranks.indexOf(role) > ranks.indexOf(access.role);
}

function isId(invitation: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(invitation);
}

function AlreadyIn({ access }: { access: ProjectAccess }) {
  return (
    <AuthPage
      title="You already have access"
      intro={access.role === 'owner' ? 'You own this project.' : `You’re ${describeRank(access)}.`}
    >
      <div className={styles.buttons}>
        <ButtonLink to={access.path} variant="primary">
          Open project
        </ButtonLink>
      </div>
    </AuthPage>
  );
}

function describeRank({ role }: ProjectAccess): string {
  return role === 'editor' ? 'an editor of this project' : 'a viewer of this project';
}

interface ProblemProps {
  code: ErrorCode;
  invitation: ReceivedInvitation | null;
}

function Problem({ code, invitation }: ProblemProps) {
  const { message, action } = describeError(code);
  const viewer = useViewer();
  const recipient = invitation?.email ?? null;
  return (
    <AuthPage title={message} intro={<p>{action}</p>}>
      {viewer && recipient !== null && (
        <p className={styles.note}>
          It was sent to {recipient}. You’re signed in as {viewer.email}.
        </p>
      )}
      <div className={styles.buttons} data-code={code}>
        {code === 'invitation_email_unverified' && (
          <ButtonLink to="/settings/account" variant="primary">
            Account settings
          </ButtonLink>
        )}
        <ButtonLink to={viewer ? '/work' : '/'}>{viewer ? 'Your work' : 'Go home'}</ButtonLink>
      </div>
    </AuthPage>
  );
}

function SignInButtons({ next }: { next: string }): ReactNode {
  return (
    <div className={styles.buttons}>
      <ButtonLink to={withNextPath('/auth/sign-in', next)} variant="primary">
        Sign in
      </ButtonLink>
      <ButtonLink to={withNextPath('/auth/sign-up', next)}>Create an account</ButtonLink>
    </div>
  );
}

interface AnswerProps {
  invitation: ReceivedInvitation;
  /** Last segment of the page's URL: the token or id. */
  address: string;
}

function Answer({ invitation, address }: AnswerProps) {
  const api = usePeopleApi();
  const navigate = useNavigate();
  const [busyButton, setBusyButton] = useState<'accept' | 'decline'>();
  const [error, setError] = useState<ErrorCode>();

  async function run(button: 'accept' | 'decline', action: () => Promise<void>): Promise<void> {
    setBusyButton(button);
    setError(undefined);
    try {
      await action();
    } catch (failure) {
      setError(findErrorCode(failure));
      setBusyButton(undefined);
    }
  }

  const accept = () =>
    run('accept', async () => {
      const { path } = await api.accept(address);
      await navigate(path, { replace: true });
    });
  const decline = () =>
    run('decline', async () => {
      await api.decline(address);
      await navigate('/work', { replace: true });
      if (invitation.kind !== 'link') showToast({ title: 'Invitation declined' });
    });

  return (
    <>
      {error && <ErrorNotice code={error} />}
      <div className={styles.buttons}>
        <Button variant="primary" busy={busyButton === 'accept'} onClick={() => void accept()}>
          {invitation.role === 'owner' ? 'Accept ownership' : 'Accept'}
        </Button>
        <Button busy={busyButton === 'decline'} onClick={() => void decline()}>
          Decline
        </Button>
      </div>
    </>
  );
}
