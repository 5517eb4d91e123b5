import { useRouteError } from 'react-router';
import { ErrorPage } from '../ui/error-page.tsx';
import { UnsavedLeft } from './unsaved-offer.tsx';

/** Error boundary of the workspace routes, which have no page layout around them. */
export function RouteTrouble() {
  return (
    <ErrorPage error={useRouteError()}>
      <UnsavedLeft />
    </ErrorPage>
  );
}
