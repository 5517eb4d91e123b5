import { useRevalidator } from 'react-router';
import { clearCodeVerifiers } from '../../session/clear-code-verifiers.ts';
import { callbackPath, withNextPath } from '../../session/next-path.ts';
import { usePageSettings } from '../../session/page-settings.ts';
import { showToast } from '../../ui/toast.tsx';
import type { SignInMethods } from './account-details.ts';
import { AccountForm, readText } from '../account-form.tsx';
import { validateEmail, useAuthForm } from '../use-auth-form.ts';
import { EmailField } from '../fields.tsx';
import { useReauthentication } from './reauthentication.tsx';

/**
 * Target of the link in the email to the new address. The query parameter tells the page that
 * the link was opened.
 */
const emailConfirmedPath = '/settings/account?email=confirmed';

interface ChangeEmailFormProps {
  email: string;
  origin: string;
  methods: SignInMethods;
}

/** Form to change the email address; if the instance sends email, both addresses must confirm. */
export function ChangeEmailForm({ email, origin, methods }: ChangeEmailFormProps) {
  const pageSettings = usePageSettings();
  const authForm = useAuthForm();
  const reauthentication = useReauthentication(authForm, methods);
  const { revalidate } = useRevalidator();

  const change = (form: FormData) => {
    const newEmail = readText(form, 'email').trim();
    if (newEmail === email) return;
    void authForm.submit([['email', validateEmail(newEmail)]], (auth) =>
      reauthentication.run(auth, form, async (attributes) => {
        const emailRedirectTo = origin + withNextPath(callbackPath, emailConfirmedPath);
        const changes = { email: newEmail, ...attributes };
        const { data, error } = await auth.updateUser(changes, { emailRedirectTo });
        if (error) return error;
        if (data.user.email === newEmail) {
          clearCodeVerifiers(pageSettings);
          showToast({ title: 'Email changed' });
        } else await revalidate();
        return null;
      }),
    );
  };

  return (
    <AccountForm inline submitLabel="Change email" authForm={authForm} onSubmit={change}>
      <EmailField key={email} authForm={authForm} autoComplete="email" defaultValue={email} />
      {reauthentication.fields}
    </AccountForm>
  );
}
