import { redirect } from 'react-router';
import { requestContext } from '../../request-context.ts';
import { routeError } from '../../ui/page/route-error.ts';
import { findVersionProject } from '../find-project.server.ts';
import { getWorkspacePath, needsVersionAccess } from '../sharing/identity.ts';
import type { Route } from './+types/raw-file';

/**
 * Redirects `/@owner/SLUG/v/12/PATH` to the file as it was in version 12, on the version's preview
 * host: no file of a project is served on the app's origin.
 */
export async function loader({ context, params, request }: Route.LoaderArgs) {
  const { handle, slug, number, '*': path } = params;
  const requestInfo = context.get(requestContext);
  const isFile = handle.startsWith('@') && /^[1-9]\d{0,8}$/.test(number) && path !== '';
  const identity = isFile ? await findVersionProject(requestInfo, slug, Number(number)) : undefined;
  const key = `v${number}--${slug}`;
  const host = identity && createHost(requestInfo.origin, key);
  if (!identity || !host) throw routeError('not_found_or_private');
  const { pathname } = new URL(request.url);
  const encodedPath = pathname.split('/').slice(5).join('/');
  if (handle !== `@${identity.owner}`)
    throw redirect(`${getWorkspacePath(identity)}/v/${number}/${encodedPath}`);
  const file = new URL(`/__vitrine/raw/${encodedPath}`, host);
  if (!needsVersionAccess(identity)) throw redirect(file.href);
  const access = await requestInfo.createPreviewAccessUrl(host, key);
  if (access === null) throw routeError('not_found_or_private');
  const url = new URL(access);
  url.searchParams.set('path', file.pathname);
  throw redirect(url.href);
}

/** Origin of a preview host; undefined if the app is open at an IP address, which has no subdomains. */
function createHost(appOrigin: string, key: string): string | undefined {
  const { protocol, host } = new URL(appOrigin);
  const origin = `${protocol}//${key}.${host}`;
  return URL.canParse(origin) ? origin : undefined;
}

export { WorkspaceErrorBoundary as ErrorBoundary } from '../workspace-error-boundary.tsx';

/** Never rendered: the loader always throws. */
export default function RawFile() {
  return null;
}
