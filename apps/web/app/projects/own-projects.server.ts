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

interface ListOptions {
  readonly trashed: boolean;
  readonly limit: number;
}

/** Lists the signed-in user's projects, latest changes first. Empty for a visitor. */
export async function listOwnProjects(
  { supabase, claims }: RequestContext,
  { trashed, limit }: ListOptions,
): Promise<OwnProject[]> {
  if (!claims) return [];
  const query = supabase
    .from('projects')
    .select('id, slug, title, visibility, updated_at')
    .eq('owner_id', claims.sub)
    .order('updated_at', { ascending: false })
    .limit(limit);
  const { data, error } = await (trashed
    ? query.not('trashed_at', 'is', null)
    : query.is('trashed_at', null));
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
