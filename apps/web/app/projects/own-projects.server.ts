import { isVisibility, type Visibility } from '@vitrine/project';
import type { RequestContext } from '../request-context.ts';
import { routeError } from '../ui/page/route-error.ts';

/** A project of the signed-in user, as shown in lists. */
export interface OwnProject {
  readonly id: string;
  readonly slug: string;
  readonly title: string;
  readonly visibility: Visibility;
  readonly updatedAt: string;
}

/**
 * Lists the signed-in user's latest projects that aren't in the trash, latest changes first. Empty
 * for a visitor.
 */
export async function listOwnProjects(
  request: RequestContext,
  limit: number,
): Promise<OwnProject[]> {
  const { claims } = request;
  if (!claims) return [];
  const { data, error } = await request.supabase
    .from('projects')
    .select('id, slug, title, visibility, updated_at')
    .eq('owner_id', claims.sub)
    .is('trashed_at', null)
    .order('updated_at', { ascending: false })
    .limit(limit);
  if (error) throw routeError('backend_unreachable');
  return data.map(parseProject);
}

function parseProject(row: Record<string, unknown>): OwnProject {
  const { id, slug, title, visibility, updated_at: updatedAt } = row;
  if (
    typeof id !== 'string' ||
    typeof slug !== 'string' ||
    typeof title !== 'string' ||
    typeof updatedAt !== 'string' ||
    !isVisibility(visibility)
  ) {
    throw new Error(`not a row of projects: ${JSON.stringify(row)}`);
  }
  return { id, slug, title, visibility, updatedAt };
}
