import { PageError } from '../ui/page-error.tsx';
import { PageLayout } from '../ui/page.tsx';
import { LeftoverChanges } from './saving/unsaved-changes-banner.tsx';

/** Error boundary of the workspace routes, which have no page layout around them. */
export function WorkspaceErrorBoundary() {
  return (
    <PageLayout>
      <PageError>
        <LeftoverChanges />
      </PageError>
    </PageLayout>
  );
}
