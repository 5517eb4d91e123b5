import { redirect } from 'react-router';
import { requestContext } from '../../request-context.ts';
import { findPageProject } from '../find-page-project.server.ts';
import { getWorkspacePath } from '../sharing/identity.ts';
import type { Route } from './+types/history-address';

/** Redirects `/@owner/slug/history` to the workspace with its History panel. */
export async function loader({ context, params, request }: Route.LoaderArgs) {
  const { search } = new URL(request.url);
  const address = { ...params, rest: '/history', search };
  const { identity } = await findPageProject(context.get(requestContext), address);
  return redirect(`${getWorkspacePath(identity)}?view=history`);
}

export { WorkspaceErrorBoundary as ErrorBoundary } from '../workspace-error-boundary.tsx';

/** Never rendered: the loader always redirects or throws. */
export default function HistoryAddress() {
  return null;
}
