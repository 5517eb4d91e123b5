import type { RequestContext } from '../request-context.ts';
import { routeError } from '../ui/page/route-error.ts';
import type { Viewer } from './viewer.ts';

/**
 * Loads the signed-in user: verified claims, profile and account status. Null for visitors, and if
 * the session's account was deleted. Throws a route error if the profile or status can't be loaded,
 * so that a signed-in user is never shown as a visitor.
 */
export async function findViewer(request: RequestContext): Promise<Viewer | null> {
  const { claims } = request;
  if (!claims) return null;
  const { supabase } = request;
  const [profile, account] = await Promise.all([
    supabase
      .from('profiles')
      .select('username, display_name, avatar_path, deletions(due_at)')
      .eq('id', claims.sub)
      .maybeSingle(),
    supabase.rpc('account_status', { person: claims.sub }),
  ]);
  if (profile.error || account.error) throw routeError('backend_unreachable');
  if (!profile.data) return null;
  const row: Record<string, unknown> = profile.data;
  const status = readStatus(account.data);
  return {
    id: claims.sub,
    email: claims.email,
    username: typeof row.username === 'string' ? row.username : null,
    displayName: typeof row.display_name === 'string' ? row.display_name : '',
    avatarPath: typeof row.avatar_path === 'string' ? row.avatar_path : null,
    ...status,
    deletionDueAt: readDueAt(row.deletions),
  };
}

/** Parses `account_status`. It is empty while MFA is pending, which reads as a plain member. */
function readStatus(value: unknown): Pick<Viewer, 'role' | 'suspended'> {
  const status: { role?: unknown; suspended_at?: unknown } =
    typeof value === 'object' && value !== null ? value : {};
  const { role, suspended_at: suspendedAt = null } = status;
  return {
    role: role === 'admin' || role === 'moderator' ? role : 'member',
    suspended: suspendedAt !== null,
  };
}

function readDueAt(deletion: unknown): string | null {
  const isPending = typeof deletion === 'object' && deletion !== null && 'due_at' in deletion;
  return isPending ? String(deletion.due_at) : null;
}
