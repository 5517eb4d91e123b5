import { requestContext } from '../request-context.ts';
import type { Route } from './+types/template-files';
import { findTemplate } from './find-template.server.ts';

/**
 * Files of a template for its preview: `{ files: [path, text][], assets: [path, asset][], project }` as
 * JSON. For a template that the user may not see, `{ code }` with status 404.
 */
export async function loader({ context, params }: Route.LoaderArgs): Promise<Response> {
  const { files, assets, project } = await findTemplate(context.get(requestContext), params);
  return Response.json({ files, assets, project });
}
