import { useRouteError } from 'react-router';
import { ErrorPage } from '../ui/error-page.tsx';
import { UnsavedLeft } from './unsaved-offer.tsx';

/** The error boundary of the workspace's screens, which have no page frame around them. */
export function RouteTrouble() {
  return (
    <ErrorPage error={useRouteError()}>
      <UnsavedLeft />
    </ErrorPage>
  );
}
