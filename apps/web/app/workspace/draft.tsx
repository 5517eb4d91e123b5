import { replace } from 'react-router';
import { routeError } from '../ui/route-error.ts';
import { requestContext, type PageSettings } from '../request-context.ts';
import { loadClient } from '../session/load-client.ts';
import { findPreferences } from '../preferences/device-preferences.ts';
import type { Route } from './+types/draft';
import { createCalls } from './calls.ts';
import { findArrangement, openAt } from './arrangement.ts';
import { findDraft } from './drafts.ts';
import type { DraftIdentity } from './identity.ts';

/** All that the server knows of a draft: who asks, and how they have set up their workspace. */
export function loader({ context, request }: Route.LoaderArgs) {
  const { claims, page } = context.get(requestContext);
  const person = claims?.sub ?? null;
  const cookies = request.headers.get('cookie') ?? '';
  const arrangement = openAt(findArrangement(cookies, person), request.url);
  const preferences = findPreferences(cookies, person);
  return { person, page, arrangement, preferences };
}

/** The draft is on this device only. */
export async function clientLoader({ params, serverLoader }: Route.ClientLoaderArgs) {
  const { person, page, arrangement, preferences } = await serverLoader();
  const draft = await findDraft(person, params.id);
  if (!draft) throw await findWhereItWent(page, person, params.id);
  const { id, title, forkedFrom, files } = draft;
  const identity: DraftIdentity = { kind: 'draft', id, title, forkedFrom };
  return { identity, files: [...files], arrangement, preferences };
}
clientLoader.hydrate = true as const;

/** A draft that is a project by now leads there; anything else is not found. */
async function findWhereItWent(page: PageSettings, person: string | null, id: string) {
  const address = person && (await createCalls(() => loadClient(page)).findAddress(id));
  return address ? replace(address) : routeError('not_found_or_private');
}

export const meta: Route.MetaFunction = () => [{ title: 'Draft — Vitrine' }];

export { RouteTrouble as ErrorBoundary } from './route-trouble.tsx';
export { WorkspaceSkeleton as HydrateFallback } from './skeleton.tsx';

/** The layout shows the workspace, which outlives this address. */
export default function Draft() {
  return null;
}
