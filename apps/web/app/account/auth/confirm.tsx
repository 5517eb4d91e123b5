import { Link, useLocation } from 'react-router';
import { requestContext } from '../../request-context.ts';
import { callbackPath, withNextPath } from '../../session/next-path.ts';
import { usePageSettings } from '../../session/page-settings.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { showToast } from '../../ui/toast.tsx';
import type { Route } from './+types/confirm';
import { AcceptEmailLink, findEmailLinkToken } from './accept-email-link.tsx';
import { AuthPage } from './auth-page.tsx';
import { useAuthForm } from '../use-auth-form.ts';
import { MailDeliveryNote } from '../mail-delivery-note.tsx';
import { requireSignedOut } from './auth-guards.server.ts';

export const meta: Route.MetaFunction = () => [
  { title: 'Check your email — Vitrine' },
  // A token in the URL must not leak in a Referer header.
  { name: 'referrer', content: 'no-referrer' },
];

export function loader({ context, url }: Route.LoaderArgs) {
  const request = context.get(requestContext);
  const { next } = requireSignedOut(request, url);
  const token = findEmailLinkToken(url.searchParams);
  return { next, token, origin: request.origin };
}

export default function Confirm({ loaderData: { token, ...pageData } }: Route.ComponentProps) {
  return token ? (
    <AcceptEmailLink token={token} next={pageData.next} />
  ) : (
    <CheckEmail {...pageData} />
  );
}

function CheckEmail({ next, origin }: CheckEmailProps) {
  const email = readEmail(useLocation().state);
  const sendsEmail = usePageSettings().mailDelivery === 'sent';
  return (
    <AuthPage
      title="Check your email"
      intro={
        <p>
          {sendsEmail ? (
            <>We sent a link to {email ? <strong>{email}</strong> : 'your address'}.</>
          ) : (
            'Your link is ready.'
          )}{' '}
          Open it in this browser to sign in. If you open it in another browser, you’ll have to
          choose a password again.
        </p>
      }
      footer={<Link to={withNextPath('/auth/sign-in', next)}>Back to sign in</Link>}
    >
      <MailDeliveryNote />
      {email && (
        <ResendEmail email={email} redirectTo={origin + withNextPath(callbackPath, next)} />
      )}
    </AuthPage>
  );
}

interface CheckEmailProps {
  next: string;
  origin: string;
}

function ResendEmail({ email, redirectTo }: { email: string; redirectTo: string }) {
  const authForm = useAuthForm();
  const send = () =>
    authForm.submit([], async (auth) => {
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
      {authForm.formError && <ErrorNotice code={authForm.formError.code} />}
    </div>
  );
}

/** Reads the email address from the history state, which keeps it out of URLs and server logs. */
function readEmail(state: unknown): string | undefined {
  if (typeof state !== 'object' || state === null || !('email' in state)) return undefined;
  return typeof state.email === 'string' ? state.email : undefined;
}
