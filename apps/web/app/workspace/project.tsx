import { planBeginning } from '@vitrine/sandbox/begun-frame';
import { requestContext } from '../request-context.ts';
import { findPreferences } from '../preferences/device-preferences.ts';
import type { Route } from './+types/project';
import { findArrangement, openAt } from './arrangement.ts';
import { findPageProject } from './find-page-project.server.ts';
import { loadDocument } from './find-project.server.ts';
import { previewKey } from './identity.ts';
import { guessPlace } from './preview-place.ts';

/** Data of a saved project: everything the page renders and runs before the app has loaded. */
export async function loader({ context, params, request }: Route.LoaderArgs) {
  const about = context.get(requestContext);
  const { search } = new URL(request.url);
  const { identity, files } = await findPageProject(about, {
    ...params,
    rest: '',
    search,
  });
  const place = guessPlace(request, about.origin, about.page);
  const key = previewKey(identity);
  const [document, entry] = await Promise.all([
    identity.role === 'reader' ? undefined : loadDocument(about, identity.id),
    identity.visibility === 'private' && place.path === 'served'
      ? about.mintEntry(place.origin(key), key)
      : null,
  ]);
  const prerenderPlan =
    place.path === 'served' && (identity.visibility !== 'private' || entry !== null)
      ? planBeginning({
          origin: place.origin(key),
          title: 'Result',
          paths: files.map(([path]) => path),
          entry,
        })
      : undefined;
  const userId = about.claims?.sub ?? null;
  const cookies = request.headers.get('cookie') ?? '';
  const arrangement = openAt(findArrangement(cookies, userId), request.url);
  const preferences = findPreferences(cookies, userId);
  return { identity, files, document, entry, prerenderPlan, arrangement, preferences };
}

export const meta: Route.MetaFunction = ({ loaderData }) =>
  loaderData
    ? [{ title: `${loaderData.identity.title} by ${loaderData.identity.owner} — Vitrine` }]
    : [{ title: 'Page not found — Vitrine' }];

export { RouteTrouble as ErrorBoundary } from './route-trouble.tsx';

/**
 * Renders nothing. The parent layout renders the workspace, which survives navigation from draft to
 * project.
 */
export default function Project() {
  return null;
}
