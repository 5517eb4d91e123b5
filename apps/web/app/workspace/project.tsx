import { planPrerender } from '@vitrine/sandbox/prerendered-frame';
import { requestContext } from '../request-context.ts';
import { parsePreferencesCookie } from '../preferences/device-preferences.ts';
import type { Route } from './+types/project';
import { parseLayoutCookie, applyViewParameter } from './workspace-layout.ts';
import { findPageProject } from './find-page-project.server.ts';
import { loadDocument } from './find-project.server.ts';
import { formatTabTitle, getPreviewKey } from './identity.ts';
import { guessPreviewHost } from './page-preview-host.ts';

/** Data of a saved project: everything the page renders and runs before the app has loaded. */
export async function loader({ context, params, request }: Route.LoaderArgs) {
  const about = context.get(requestContext);
  const { search } = new URL(request.url);
  const { identity, files } = await findPageProject(about, {
    ...params,
    rest: '',
    search,
  });
  const place = guessPreviewHost(request, about.origin, about.page);
  const key = getPreviewKey(identity);
  const [document, entry] = await Promise.all([
    identity.role === 'reader' ? undefined : loadDocument(about, identity.id),
    identity.visibility === 'private' && place.path === 'served'
      ? about.createPreviewAccessUrl(place.origin(key), key)
      : null,
  ]);
  const prerenderPlan =
    place.path === 'served' && (identity.visibility !== 'private' || entry !== null)
      ? planPrerender({
          origin: place.origin(key),
          title: 'Result',
          paths: files.map(([path]) => path),
          accessUrl: entry,
        })
      : undefined;
  const userId = about.claims?.sub ?? null;
  const cookies = request.headers.get('cookie') ?? '';
  const arrangement = applyViewParameter(parseLayoutCookie(cookies, userId), request.url);
  const preferences = parsePreferencesCookie(cookies, userId);
  return { identity, files, document, entry, prerenderPlan, arrangement, preferences };
}

export const meta: Route.MetaFunction = ({ loaderData }) =>
  loaderData
    ? [{ title: formatTabTitle(loaderData.identity) }]
    : [{ title: 'Page not found — Vitrine' }];

export { WorkspaceErrorBoundary as ErrorBoundary } from './workspace-error-boundary.tsx';

/**
 * Renders nothing. The parent layout renders the workspace, which survives navigation from draft to
 * project.
 */
export default function Project() {
  return null;
}
