import { catalogue, findErrorCode, findUsernameProblem, type ErrorCode } from '@vitrine/project';
import { useState, type ReactNode } from 'react';
import { useLocation, useRevalidator, useRouteLoaderData } from 'react-router';
import type { loader } from '../root.tsx';
import { useClient } from '../session/use-client.ts';
import { useViewer, type Viewer } from '../session/viewer.ts';
import { useSignOut } from '../ui/account-menu.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { readText } from './account-form.tsx';
import { AccountPage } from './account-page.tsx';
import { UsernameField } from './username-field.tsx';

/**
 * The first screen of who has an account and no username yet, in the place of whatever is at the
 * address; that is shown once it is chosen. A link to a new password is finished before.
 */
export function UsernameFirst({ children }: { children: ReactNode }) {
  const viewer = useViewer();
  const { pathname } = useLocation();
  if (!viewer || viewer.username !== null || pathname.startsWith('/auth/')) return children;
  return <ChooseUsername viewer={viewer} />;
}

function ChooseUsername({ viewer }: { viewer: Viewer }) {
  const proposed = useRouteLoaderData<typeof loader>('root')?.proposedUsername ?? '';
  const client = useClient();
  const leave = useSignOut();
  const { revalidate } = useRevalidator();
  const [state, setState] = useState<{ busy: boolean; problem?: ErrorCode | undefined }>({
    busy: false,
  });

  const choose = async (form: FormData) => {
    const username = readText(form, 'username').trim().toLowerCase();
    const wrong = findUsernameProblem(username);
    if (wrong) return setState({ busy: false, problem: wrong });
    setState({ busy: true });
    const { data, error } = await (
      await client()
    )
      .from('profiles')
      .update({ username })
      .eq('id', viewer.id)
      .select('id');
    // Row level security refuses an update by matching nothing.
    const refused = error ? findErrorCode(error) : data.length === 0 ? 'suspended' : undefined;
    if (!refused) await revalidate();
    setState({ busy: false, problem: refused });
  };

  const { busy, problem } = state;
  const isOfName = problem === 'username_taken' || problem === 'invalid_username';
  return (
    <main>
      <AccountPage title="Choose a username" intro={<p>For {viewer.email}.</p>}>
        <form
          method="post"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void choose(new FormData(event.currentTarget));
          }}
        >
          <UsernameField
            proposed={proposed}
            error={isOfName ? catalogue[problem].sentence : undefined}
          />
          <Button type="submit" variant="primary" busy={busy}>
            Continue
          </Button>{' '}
          <Button variant="quiet" onClick={leave}>
            Sign out
          </Button>
          {problem && !isOfName && <ErrorNotice code={problem} />}
        </form>
      </AccountPage>
    </main>
  );
}
