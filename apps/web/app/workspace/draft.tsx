import { getTexts } from '@vitrine/project';
import { replace } from 'react-router';
import { routeError } from '../ui/page/route-error.ts';
import { requestContext, type PageSettings } from '../request-context.ts';
import { loadClient } from '../session/load-client.ts';
import { parsePreferencesCookie } from '../preferences/device-preferences.ts';
import type { Route } from './+types/draft';
import { createProjectApi } from './saving/project-api.ts';
import { parseLayoutCookie, applyViewParameter } from './layout/workspace-layout.ts';
import { findDraft } from './saving/drafts.ts';
import { formatTabTitle, type DraftIdentity } from './sharing/identity.ts';

/** Data the server has for a draft: the user and their layout and preferences. */
export function loader({ context, request }: Route.LoaderArgs) {
  const { claims, page } = context.get(requestContext);
  const userId = claims?.sub ?? null;
  const cookies = request.headers.get('cookie') ?? '';
  const layout = applyViewParameter(parseLayoutCookie(cookies, userId), request.url);
  const preferences = parsePreferencesCookie(cookies, userId);
  return { userId, page, arrangement: layout, preferences };
}

/** Reads the draft from this device. */
export async function clientLoader({ params, serverLoader }: Route.ClientLoaderArgs) {
  const { userId, page, arrangement, preferences } = await serverLoader();
  const draft = await findDraft(userId, params.id);
  if (!draft) throw await findRedirect(page, userId, params.id);
  const { id, title, forkedFrom, forkedFromVersion, files } = draft;
  const identity: DraftIdentity = { kind: 'draft', id, title, forkedFrom, forkedFromVersion };
  const assets = [...files].flatMap(([path, file]) =>
    file.kind === 'asset' ? [[path, file] as const] : [],
  );
  return { identity, files: [...getTexts(files)], assets, arrangement, preferences };
}
clientLoader.hydrate = true as const;

/** Redirects to the project that the draft has become, otherwise reports "not found". */
async function findRedirect(page: PageSettings, userId: string | null, id: string) {
  const address = userId && (await createProjectApi(() => loadClient(page)).findProjectPath(id));
  return address ? replace(address) : routeError('not_found_or_private');
}

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: loaderData ? formatTabTitle(loaderData.identity) : 'Draft — Vitrine' },
];

export { WorkspaceErrorBoundary as ErrorBoundary } from './workspace-error-boundary.tsx';
export { WorkspaceSkeleton as HydrateFallback } from './bootstrap/skeleton.tsx';

/**
 * Renders nothing. The parent layout renders the workspace, which survives navigation from draft to
 * project.
 */
export default function Draft() {
  return null;
}
