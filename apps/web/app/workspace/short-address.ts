import { redirect } from 'react-router';
import { requestContext } from '../request-context.ts';
import { routeError } from '../ui/page/route-error.ts';
import type { Route } from './+types/short-address';
import { findProject } from './find-project.server.ts';
import { getWorkspacePath } from './sharing/identity.ts';

/** Redirects `/p/SLUG` to the project's page. */
export async function loader({ context, params, request }: Route.LoaderArgs) {
  const found = await findProject(context.get(requestContext), params.slug);
  if (!found) throw routeError('not_found_or_private');
  throw redirect(getWorkspacePath(found.identity) + new URL(request.url).search);
}

export { WorkspaceErrorBoundary as ErrorBoundary } from './workspace-error-boundary.tsx';

/** Never rendered: the loader always throws. */
export default function ShortAddress() {
  return null;
}
