import { useRouteError } from 'react-router';
import { ErrorPage } from '../ui/error-page.tsx';
import { LeftoverChanges } from './unsaved-changes-banner.tsx';

/** Error boundary of the workspace routes, which have no page layout around them. */
export function WorkspaceErrorBoundary() {
  return (
    <ErrorPage error={useRouteError()}>
      <LeftoverChanges />
    </ErrorPage>
  );
}
