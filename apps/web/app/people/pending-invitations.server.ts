import type { RequestContext } from '../request-context.ts';
import { routeError } from '../ui/page/route-error.ts';
import { parseReceivedInvitation, type ReceivedInvitation } from './people.ts';

/** Lists the invitations that the signed-in user can accept, newest first. Empty for a visitor. */
export async function listPendingInvitations({
  supabase,
  claims,
}: RequestContext): Promise<ReceivedInvitation[]> {
  if (!claims) return [];
  const { data, error } = await supabase.rpc('list_invitations');
  if (error) throw routeError('backend_unreachable');
  return Array.isArray(data) ? data.map(parseReceivedInvitation) : [];
}
