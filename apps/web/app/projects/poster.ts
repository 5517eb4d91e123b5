import { requestContext } from '../request-context.ts';
import type { Route } from './+types/poster';

/** Name of a poster in its bucket: the project's id and the number of a version, or 0. */
const posterName = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\/\d{1,10}$/;

/**
 * The poster of a project, `/posters/PROJECT/VERSION`, as the database lets the session's user read it. 404 in
 * all other cases.
 */
export async function loader({ context, params: { project, version } }: Route.LoaderArgs) {
  const name = `${project}/${version}`;
  if (!posterName.test(name)) return refuse();
  const { supabase } = context.get(requestContext);
  const { data } = await supabase.storage.from('posters').download(name);
  if (!data) return refuse();
  // Editors may have stored anything; a browser takes it for an image of this type and nothing else.
  return new Response(data, { headers: { 'Content-Type': 'image/webp' } });
}

function refuse(): Response {
  return new Response(null, { status: 404 });
}
