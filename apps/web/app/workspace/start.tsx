import { redirect, replace } from 'react-router';
import { findExample } from '../projects/examples.server.ts';
import { requestContext } from '../request-context.ts';
import { routeError } from '../ui/route-error.ts';
import type { Route } from './+types/start';
import { makeDraft } from './drafts.ts';

/** What the draft begins with. */
export function loader({ context, params }: Route.LoaderArgs) {
  const example = findExample(params.template);
  if (!example) throw routeError('not_found_or_private');
  const { title, files } = example;
  return { title, files, person: context.get(requestContext).claims?.sub ?? null };
}

/** Makes the draft on this device and goes there; going back does not make another. */
export async function clientLoader({ params, request, serverLoader }: Route.ClientLoaderArgs) {
  const { title, files, person } = await serverLoader();
  const id = await makeDraft(person, { title, files });
  // Opened as a page this address is in the history already; by a link it never gets there.
  const isHere = location.pathname === `/new/${params.template}`;
  const address = `/draft/${id}${new URL(request.url).search}`;
  throw isHere ? replace(address) : redirect(address);
}
clientLoader.hydrate = true as const;

export const meta: Route.MetaFunction = () => [{ title: 'New project — Vitrine' }];

export { RouteTrouble as ErrorBoundary } from './route-trouble.tsx';
export { WorkspaceSkeleton as HydrateFallback } from './skeleton.tsx';

/** Never rendered: the loader always leads on. */
export default function Start() {
  return null;
}
