import type { RequestContext } from '../request-context.ts';
import { routeError } from '../ui/route-error.ts';
import type { Viewer } from './viewer.ts';

/**
 * The person of this request: verified claims, their profile and the status of their account. Null for
 * visitors, and where the account of a session that still lives is gone. Throws a
 * route error where either cannot be read: a member must not look like a visitor.
 */
export async function findViewer({ claims, supabase }: RequestContext): Promise<Viewer | null> {
  if (!claims) return null;
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
    leavesAt: readDueAt(row.deletions),
  };
}

/** Of nobody's account, as while a second factor is missing, it is a member's without rights of their own. */
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
  const isThere = typeof deletion === 'object' && deletion !== null && 'due_at' in deletion;
  return isThere ? String(deletion.due_at) : null;
}
