import { findErrorCode } from '@vitrine/project';
import { useState } from 'react';
import { useRevalidator, useRouteError } from 'react-router';
import { useClient } from '../session/use-client.ts';
import { Button } from '../ui/button.tsx';
import { loadable } from '../ui/loadable.tsx';
import { PageError } from '../ui/page/page-error.tsx';
import { PageLayout } from '../ui/page/page.tsx';
import { findRouteErrorProject } from '../ui/page/route-error.ts';
import { showErrorToast } from '../ui/toast.tsx';
import { createProjectApi } from './saving/project-api.ts';

// The page itself says what failed, such as the connection.
const LeftoverChanges = loadable(() => import('./saving/leftover-changes.tsx'), { isSilent: true });

/** Error boundary of the workspace routes, which have no page layout around them. */
export function WorkspaceErrorBoundary() {
  const trashedId = findRouteErrorProject(useRouteError());
  return (
    <PageLayout>
      <PageError action={trashedId !== undefined && <RestoreButton projectId={trashedId} />}>
        <LeftoverChanges />
      </PageError>
    </PageLayout>
  );
}

/** Restores the project of this page from the trash, and opens it. */
function RestoreButton({ projectId }: { projectId: string }) {
  const getClient = useClient();
  const { revalidate } = useRevalidator();
  const [isBusy, setBusy] = useState(false);

  async function restore(): Promise<void> {
    setBusy(true);
    try {
      await createProjectApi(getClient).restore(projectId);
      await revalidate();
    } catch (error) {
      showErrorToast(findErrorCode(error));
    }
    setBusy(false);
  }

  return (
    <Button variant="primary" busy={isBusy} onClick={() => void restore()}>
      Restore
    </Button>
  );
}
