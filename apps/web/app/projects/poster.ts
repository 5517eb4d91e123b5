import { requestContext } from '../request-context.ts';
import type { Route } from './+types/poster';

/**
 * The poster of a project, `/posters/PROJECT/VERSION`, as the database lets the session's user read it. 404 in
 * all other cases.
 */
export async function loader({ context, params: { project, version } }: Route.LoaderArgs) {
  const { supabase } = context.get(requestContext);
  const { data } = await supabase.storage.from('posters').download(`${project}/${version}`);
  if (!data) return new Response(null, { status: 404 });
  // Editors may have stored anything; an image of this type is all that a browser takes it for.
  return new Response(data, { headers: { 'Content-Type': 'image/webp' } });
}
