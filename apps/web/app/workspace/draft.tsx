import { routeError } from '../ui/route-error.ts';
import { requestContext } from '../request-context.ts';
import type { Route } from './+types/draft';
import { findArrangement } from './arrangement.ts';
import { findDraft } from './drafts.ts';
import type { DraftIdentity } from './identity.ts';

/** All that the server knows of a draft: who asks, and how they have set up their workspace. */
export function loader({ context, request }: Route.LoaderArgs) {
  const person = context.get(requestContext).claims?.sub ?? null;
  return { person, arrangement: findArrangement(request.headers.get('cookie') ?? '', person) };
}

/** The draft is on this device only. */
export async function clientLoader({ params, serverLoader }: Route.ClientLoaderArgs) {
  const { person, arrangement } = await serverLoader();
  const draft = await findDraft(person, params.id);
  if (!draft) throw routeError('not_found_or_private');
  const { id, title, forkedFrom, files } = draft;
  const identity: DraftIdentity = { kind: 'draft', id, title, forkedFrom };
  return { identity, files: [...files], arrangement };
}
clientLoader.hydrate = true as const;

export const meta: Route.MetaFunction = () => [{ title: 'Draft — Vitrine' }];

export { RouteTrouble as ErrorBoundary } from './route-trouble.tsx';
export { WorkspaceSkeleton as HydrateFallback } from './skeleton.tsx';

/** The layout shows the workspace, which outlives this address. */
export default function Draft() {
  return null;
}
