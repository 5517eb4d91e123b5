import { validatePassword, validateUsername } from '@vitrine/project';
import { Link, useNavigate } from 'react-router';
import { requestContext } from '../../request-context.ts';
import { clearCodeVerifiers } from '../../session/clear-code-verifiers.ts';
import { savesAfterSignIn, callbackPath, withNextPath } from '../../session/next-path.ts';
import { usePageSettings } from '../../session/page-settings.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import type { Route } from './+types/sign-up';
import { AccountForm, readText } from '../account-form.tsx';
import { AuthPage } from './auth-page.tsx';
import { validateEmail, useAuthForm } from '../use-auth-form.ts';
import { EmailField, focusFirst, NewPasswordField } from '../fields.tsx';
import { OtherSignInMethods } from './other-sign-in-methods.tsx';
import { requireSignedOut } from './auth-guards.server.ts';
import { getSignInOptions } from './sign-in-options.server.ts';
import { UsernameField } from '../username-field.tsx';

export const meta: Route.MetaFunction = () => [{ title: 'Create an account — Vitrine' }];

export async function loader({ context, url }: Route.LoaderArgs) {
  const request = context.get(requestContext);
  const { next } = requireSignedOut(request, url);
  return { next, options: await getSignInOptions(request), origin: request.origin };
}

export default function SignUp({ loaderData }: Route.ComponentProps) {
  const { next, options, origin } = loaderData;
  const pageSettings = usePageSettings();
  const navigate = useNavigate();
  const authForm = useAuthForm();

  const signUp = (form: FormData) => {
    const email = readText(form, 'email').trim();
    const username = readText(form, 'username').trim().toLowerCase();
    const password = readText(form, 'password');
    const fieldErrors = [
      ['email', validateEmail(email)],
      ['username', validateUsername(username)],
      ['password', validatePassword(password, { email, username })],
    ] as const;
    void authForm.submit(fieldErrors, async (auth) => {
      const emailRedirectTo = origin + withNextPath(callbackPath, next);
      const { data, error } = await auth.signUp({
        email,
        password,
        options: { data: { username }, emailRedirectTo },
      });
      if (error) return error;
      if (data.session) {
        clearCodeVerifiers(pageSettings);
        await navigate(next, { replace: true });
      } else await navigate(withNextPath('/auth/confirm', next), { state: { email } });
      return null;
    });
  };

  return (
    <AuthPage
      title="Create an account"
      intro={
        options.isOpen &&
        savesAfterSignIn(next) &&
        'We’ll save your draft as soon as you’ve signed up.'
      }
      footer={
        <>
          Already have an account? <Link to={withNextPath('/auth/sign-in', next)}>Sign in</Link>
        </>
      }
    >
      {options.isOpen ? (
        <>
          <AccountForm submitLabel="Create account" authForm={authForm} onSubmit={signUp}>
            <EmailField
              ref={focusFirst}
              authForm={authForm}
              autoComplete="email"
              description="Used to sign in. Never shown publicly."
            />
            <UsernameField error={authForm.getFieldError('username')} />
            <NewPasswordField authForm={authForm} label="Password" />
          </AccountForm>
          <OtherSignInMethods providers={options.providers} origin={origin} next={next} />
        </>
      ) : (
        <ErrorNotice code="sign_up_closed" />
      )}
    </AuthPage>
  );
}
