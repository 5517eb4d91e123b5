import type { RequestContext } from '../request-context.ts';
import { routeError } from '../ui/route-error.ts';
import type { Viewer } from './viewer.ts';

/**
 * The person of this request: verified claims, and one query for the profile. Null for visitors, and
 * where the account of a session that still lives is gone. Throws a
 * route error where the profile cannot be read: a member must not look like a visitor.
 */
export async function findViewer({ claims, supabase }: RequestContext): Promise<Viewer | null> {
  if (!claims) return null;
  const { data, error } = await supabase
    .from('profiles')
    .select('username, display_name, avatar_path, role, suspended_at, deletions(due_at)')
    .eq('id', claims.sub)
    .maybeSingle();
  if (error) throw routeError('backend_unreachable');
  if (!data) return null;
  const row: Record<string, unknown> = data;
  return {
    id: claims.sub,
    email: claims.email,
    username: typeof row.username === 'string' ? row.username : null,
    displayName: typeof row.display_name === 'string' ? row.display_name : '',
    avatarPath: typeof row.avatar_path === 'string' ? row.avatar_path : null,
    role: row.role === 'admin' || row.role === 'moderator' ? row.role : 'member',
    suspended: row.suspended_at !== null,
    leavesAt: readDueAt(row.deletions),
  };
}

function readDueAt(deletion: unknown): string | null {
  const isThere = typeof deletion === 'object' && deletion !== null && 'due_at' in deletion;
  return isThere ? String(deletion.due_at) : null;
}
