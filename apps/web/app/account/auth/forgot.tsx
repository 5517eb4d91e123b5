import { useState } from 'react';
import { Link } from 'react-router';
import { requestContext } from '../../request-context.ts';
import { callbackPath, withNextPath } from '../../session/next-path.ts';
import { usePageSettings } from '../../session/page-settings.ts';
import { recoveryPath } from '../../session/recovery.ts';
import type { Route } from './+types/forgot';
import { AccountForm, readText } from '../account-form.tsx';
import { AuthPage } from './auth-page.tsx';
import { validateEmail, useAuthForm } from '../use-auth-form.ts';
import { EmailField, focusFirst } from '../fields.tsx';
import { MailDeliveryNote } from '../mail-delivery-note.tsx';
import { getSignInOptions } from './sign-in-options.server.ts';
import { UnverifiedNote } from './verify-email.tsx';

export const meta: Route.MetaFunction = () => [{ title: 'Forgot password — Vitrine' }];

export async function loader({ context }: Route.LoaderArgs) {
  const request = context.get(requestContext);
  const { confirmsEmail } = await getSignInOptions(request);
  return { origin: request.origin, mayBeUnverified: !confirmsEmail };
}

export default function Forgot({
  loaderData: { origin, mayBeUnverified: allowsUnverifiedEmail },
}: Route.ComponentProps) {
  const sendsEmail = usePageSettings().mailDelivery === 'sent';
  const authForm = useAuthForm();
  const [sentTo, setSentTo] = useState<string>();

  const send = (form: FormData) => {
    const email = readText(form, 'email').trim();
    void authForm.submit([['email', validateEmail(email)]], async (auth) => {
      const redirectTo = origin + withNextPath(callbackPath, recoveryPath);
      const { error } = await auth.resetPasswordForEmail(email, { redirectTo });
      if (!error) setSentTo(email);
      return error;
    });
  };

  return (
    <AuthPage
      title={sentTo ? 'Check your email' : 'Forgot password?'}
      intro={
        <output>
          {sentTo
            ? `If there’s an account for ${sentTo}, ${sendsEmail ? 'we sent it a link' : 'your link is ready'}. Open it in this browser.`
            : 'Get a link to choose a new password.'}
        </output>
      }
      footer={<Link to="/auth/sign-in">Back to sign in</Link>}
    >
      {sentTo ? (
        <MailDeliveryNote />
      ) : (
        <>
          <AccountForm submitLabel="Send link" authForm={authForm} onSubmit={send}>
            <EmailField ref={focusFirst} authForm={authForm} autoComplete="username" />
          </AccountForm>
          {allowsUnverifiedEmail && <UnverifiedNote />}
        </>
      )}
    </AuthPage>
  );
}
