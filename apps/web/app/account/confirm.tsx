import { Link, useLocation } from 'react-router';
import { requestContext } from '../request-context.ts';
import { callbackPath, withNext } from '../session/next-path.ts';
import { usePageSettings } from '../session/page-settings.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { showToast } from '../ui/toast.tsx';
import type { Route } from './+types/confirm';
import { AcceptMail, findToken } from './accept-mail.tsx';
import { AccountPage } from './account-page.tsx';
import { useAttempt } from './attempt.ts';
import { MailDelivery } from './mail-delivery.tsx';
import { requireVisitor } from './require.server.ts';

export const meta: Route.MetaFunction = () => [
  { title: 'Check your email — Vitrine' },
  // A token in the URL must not leak in a Referer header.
  { name: 'referrer', content: 'no-referrer' },
];

export function loader({ context, url }: Route.LoaderArgs) {
  const request = context.get(requestContext);
  const { next } = requireVisitor(request, url);
  const token = findToken(url.searchParams);
  return { next, token, origin: request.origin };
}

export default function Confirm({ loaderData: { token, ...loaded } }: Route.ComponentProps) {
  return token ? <AcceptMail token={token} next={loaded.next} /> : <CheckMail {...loaded} />;
}

function CheckMail({ next, origin }: CheckMailProps) {
  const email = readEmail(useLocation().state);
  const isSent = usePageSettings().mailDelivery === 'sent';
  return (
    <AccountPage
      title="Check your email"
      intro={
        <p>
          {isSent ? 'We sent a link to' : 'A link is ready for'}{' '}
          {email ? <strong>{email}</strong> : 'your address'}. Open it in this browser within an
          hour to sign in. If you use another browser, you’ll choose your password again.
        </p>
      }
      footer={<Link to={withNext('/auth/sign-in', next)}>Back to sign in</Link>}
    >
      <MailDelivery />
      {email && <ResendEmail email={email} redirectTo={origin + withNext(callbackPath, next)} />}
    </AccountPage>
  );
}

interface CheckMailProps {
  next: string;
  origin: string;
}

function ResendEmail({ email, redirectTo }: { email: string; redirectTo: string }) {
  const authForm = useAttempt();
  const send = () =>
    authForm.send([], async (auth) => {
      const options = { emailRedirectTo: redirectTo };
      const { error } = await auth.resend({ type: 'signup', email, options });
      if (!error) showToast({ title: 'Email sent' });
      return error;
    });
  return (
    <div>
      <Button busy={authForm.busy} onClick={send}>
        Resend email
      </Button>
      {authForm.trouble && <ErrorNotice code={authForm.trouble.code} />}
    </div>
  );
}

/** Reads the email address from the history state, which keeps it out of URLs and server logs. */
function readEmail(state: unknown): string | undefined {
  if (typeof state !== 'object' || state === null || !('email' in state)) return undefined;
  return typeof state.email === 'string' ? state.email : undefined;
}
