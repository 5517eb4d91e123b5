import { planPrerender } from '@vitrine/sandbox/prerendered-frame';
import { requestContext } from '../request-context.ts';
import { parsePreferencesCookie } from '../preferences/device-preferences.ts';
import type { Route } from './+types/project';
import { parseLayoutCookie, applyViewParameter } from './layout/workspace-layout.ts';
import { findPageProject } from './find-page-project.server.ts';
import { loadDocument } from './find-project.server.ts';
import { formatTabTitle, getPreviewKey, needsPreviewAccess } from './sharing/identity.ts';
import { guessPreviewHost } from './preview/page-preview-host.ts';

/** Data of a saved project: everything the page renders and runs before the app has loaded. */
export async function loader({ context, params, request }: Route.LoaderArgs) {
  const requestInfo = context.get(requestContext);
  const { search } = new URL(request.url);
  const { identity, files, assets } = await findPageProject(requestInfo, {
    ...params,
    rest: '',
    search,
  });
  const previewHost = guessPreviewHost(request, requestInfo.origin, requestInfo.page);
  const key = getPreviewKey(identity);
  const needsAccess = needsPreviewAccess(identity);
  const [projectDocument, previewAccessUrl] = await Promise.all([
    identity.role === 'reader' ? undefined : loadDocument(requestInfo, identity.id),
    needsAccess && previewHost.transport === 'isolated-origin'
      ? requestInfo.createPreviewAccessUrl(previewHost.origin(key), key)
      : null,
  ]);
  const prerenderPlan =
    previewHost.transport === 'isolated-origin' && (!needsAccess || previewAccessUrl !== null)
      ? planPrerender({
          origin: previewHost.origin(key),
          title: 'Result',
          paths: [...files, ...assets].map(([path]) => path).sort(),
          accessUrl: previewAccessUrl,
        })
      : undefined;
  const userId = requestInfo.claims?.sub ?? null;
  const cookies = request.headers.get('cookie') ?? '';
  const layout = applyViewParameter(parseLayoutCookie(cookies, userId), request.url);
  const preferences = parsePreferencesCookie(cookies, userId);
  return {
    identity,
    files,
    assets,
    document: projectDocument,
    entry: previewAccessUrl,
    prerenderPlan,
    arrangement: layout,
    preferences,
  };
}

export const meta: Route.MetaFunction = ({ loaderData }) =>
  // An error page has its own title.
  loaderData ? [{ title: formatTabTitle(loaderData.identity) }] : [];

export { WorkspaceErrorBoundary as ErrorBoundary } from './workspace-error-boundary.tsx';

/**
 * Renders nothing. The parent layout renders the workspace, which survives navigation from draft to
 * project.
 */
export default function Project() {
  return null;
}
