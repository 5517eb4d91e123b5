import { errorCatalog, findErrorCode, validateUsername, type ErrorCode } from '@vitrine/project';
import { useState, type ReactNode } from 'react';
import { useLocation, useRevalidator } from 'react-router';
import { useRootData } from '../../session/root-data.ts';
import { useClient } from '../../session/use-client.ts';
import { useViewer, type Viewer } from '../../session/viewer.ts';
import { useSignOut } from '../../ui/page/account-menu.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { readText } from '../account-form.tsx';
import { AuthPage } from './auth-page.tsx';
import { UsernameField } from '../username-field.tsx';

/**
 * Shows the username form instead of the page until the signed-in user has chosen a username. The
 * pages under `/auth` are exempt, so that a password reset can be finished first.
 */
export function RequireUsername({ children }: { children: ReactNode }) {
  const viewer = useViewer();
  const { pathname } = useLocation();
  if (!viewer || viewer.username !== null || pathname.startsWith('/auth/')) return children;
  return <ChooseUsername viewer={viewer} />;
}

function ChooseUsername({ viewer }: { viewer: Viewer }) {
  const suggestedUsername = useRootData()?.suggestedUsername ?? '';
  const getClient = useClient();
  const signOut = useSignOut();
  const { revalidate } = useRevalidator();
  const [state, setState] = useState<{ busy: boolean; error?: ErrorCode | undefined }>({
    busy: false,
  });

  const choose = async (form: FormData) => {
    const username = readText(form, 'username').trim().toLowerCase();
    const invalid = validateUsername(username);
    if (invalid) return setState({ busy: false, error: invalid });
    setState({ busy: true });
    const { data, error } = await (
      await getClient()
    )
      .from('profiles')
      .update({ username })
      .eq('id', viewer.id)
      .select('id');
    // Row-level security makes a forbidden update match no rows.
    const code = error ? findErrorCode(error) : data.length === 0 ? 'suspended' : undefined;
    if (!code) await revalidate();
    setState({ busy: false, error: code });
  };

  const { busy, error } = state;
  const isFieldError = error === 'username_taken' || error === 'invalid_username';
  return (
    <main>
      <AuthPage title="Choose a username" intro={<p>For {viewer.email}.</p>}>
        <form
          method="post"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void choose(new FormData(event.currentTarget));
          }}
        >
          <UsernameField
            defaultValue={suggestedUsername}
            error={isFieldError ? errorCatalog[error].message : undefined}
          />
          <Button type="submit" variant="primary" busy={busy}>
            Continue
          </Button>{' '}
          <Button variant="quiet" onClick={signOut}>
            Sign out
          </Button>
          {error && !isFieldError && <ErrorNotice code={error} />}
        </form>
      </AuthPage>
    </main>
  );
}
