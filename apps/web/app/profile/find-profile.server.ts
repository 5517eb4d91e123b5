import type { RequestContext } from '../request-context.ts';
import { routeError } from '../ui/route-error.ts';

/** What everyone may know of a user. */
export interface PublicProfile {
  readonly id: string;
  readonly username: string;
  /** The display name, or the username where none was chosen. */
  readonly name: string;
  readonly bio: string;
  /** An http(s) address, or empty. */
  readonly website: string;
  readonly avatarPath: string | null;
}

export interface PublicProject {
  readonly slug: string;
  readonly title: string;
  /** ISO 8601. */
  readonly updatedAt: string;
}

/** The most projects that a profile lists. */
const listed = 200;

/** Finds a user by username; undefined where nobody has it. Throws `backend_unreachable`. */
export async function findProfile(
  { supabase }: RequestContext,
  username: string,
): Promise<PublicProfile | undefined> {
  const { data, error } = await supabase
    .from('profiles')
    .select('id, username, display_name, bio, website, avatar_path')
    .eq('username', username)
    .maybeSingle();
  if (error) throw routeError('backend_unreachable');
  const row: Record<string, unknown> | null = data;
  if (!row) return undefined;
  return {
    id: readText(row.id),
    username,
    name: readText(row.display_name) || username,
    bio: readText(row.bio),
    website: readText(row.website),
    avatarPath: typeof row.avatar_path === 'string' ? row.avatar_path : null,
  };
}

/** A user's public projects, last changed first. Throws `backend_unreachable`. */
export async function listPublicProjects(
  { supabase }: RequestContext,
  owner: string,
): Promise<PublicProject[]> {
  const { data, error } = await supabase
    .from('projects')
    .select('slug, title, updated_at')
    .eq('owner_id', owner)
    // Row level security shows an owner the private, hidden and trashed ones too.
    .eq('visibility', 'public')
    .is('trashed_at', null)
    .is('hidden_at', null)
    .order('updated_at', { ascending: false })
    .limit(listed);
  if (error) throw routeError('backend_unreachable');
  return data.map((row: Record<string, unknown>) => ({
    slug: readText(row.slug),
    title: readText(row.title),
    updatedAt: readText(row.updated_at),
  }));
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
