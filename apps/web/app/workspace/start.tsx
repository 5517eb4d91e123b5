import { redirect, replace } from 'react-router';
import { findExample, type Example } from '../projects/examples.server.ts';
import { listOwnProjects } from '../projects/own-projects.server.ts';
import { requestContext } from '../request-context.ts';
import { routeError } from '../ui/page/route-error.ts';
import type { Route } from './+types/start';
import { createLocalDraft, listDraftTitles, numberTitle } from './saving/drafts.ts';

/** Number of the user's latest projects whose titles are compared with the new one. */
const maxComparedTitles = 200;

/** Template of the new draft. */
export async function loader({ context, params }: Route.LoaderArgs) {
  const requestInfo = context.get(requestContext);
  const example = findExample(params.template);
  if (!example) throw routeError('not_found_or_private');
  const saved = await listOwnProjects(requestInfo, maxComparedTitles);
  return {
    title: createTitle(example),
    files: example.files,
    userId: requestInfo.claims?.sub ?? null,
    taken: saved.map((project) => project.title),
  };
}

/** Creates the draft on this device and redirects to it. Going back doesn't create another. */
export async function clientLoader({ params, request, serverLoader }: Route.ClientLoaderArgs) {
  const { title, files, userId, taken } = await serverLoader();
  const titles = new Set([...taken, ...(await listDraftTitles(userId))]);
  const id = await createLocalDraft(userId, { title: numberTitle(title, titles), files });
  // Replaces the history entry if the page was opened directly; a link never adds one.
  const isOpenedDirectly = location.pathname === `/new/${params.template}`;
  const address = `/draft/${id}${new URL(request.url).search}`;
  throw isOpenedDirectly ? replace(address) : redirect(address);
}
clientLoader.hydrate = true as const;

/** "React" → "Untitled React project". Examples keep their own title. */
function createTitle({ slug, title, isTemplate }: Example): string {
  if (!isTemplate) return title;
  return ['html', 'empty'].includes(slug) ? 'Untitled project' : `Untitled ${title} project`;
}

export const meta: Route.MetaFunction = () => [{ title: 'New project — Vitrine' }];

export { WorkspaceErrorBoundary as ErrorBoundary } from './workspace-error-boundary.tsx';
export { WorkspaceSkeleton as HydrateFallback } from './bootstrap/skeleton.tsx';

/** Never rendered: the loader always redirects. */
export default function Start() {
  return null;
}
