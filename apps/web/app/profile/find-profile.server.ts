import { isRecord } from '@vitrine/project';
import { parsePictureContent, type ProjectPictureContent } from '../projects/project-picture.tsx';
import type { RequestContext } from '../request-context.ts';
import { routeError } from '../ui/page/route-error.ts';

/** The public data of a user. */
interface PublicProfile {
  readonly id: string;
  readonly username: string;
  /** The display name, or else the username. */
  readonly name: string;
  readonly bio: string;
  /** An http(s) URL, or empty. */
  readonly website: string;
  readonly avatarPath: string | null;
}

interface PublicProject {
  readonly slug: string;
  readonly title: string;
  /** Its start, if it's long. */
  readonly description: string;
  readonly tags: readonly string[];
  /** ISO 8601. */
  readonly updatedAt: string;
  readonly picture: ProjectPictureContent | null;
}

/** Finds a user by username. Throws the route error `backend_unreachable`. */
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

/** Lists a user's public projects, latest changes first. Throws `backend_unreachable`. */
export async function listPublicProjects(
  { supabase }: RequestContext,
  owner: string,
): Promise<PublicProject[]> {
  const { data, error } = await supabase.rpc('list_public_projects', { owner });
  if (error) throw routeError('backend_unreachable');
  const rows: unknown[] = Array.isArray(data) ? data : [];
  return rows.filter(isRecord).map((row) => ({
    slug: readText(row.slug),
    title: readText(row.title),
    description: readText(row.description),
    tags: Array.isArray(row.tags) ? row.tags.map(readText) : [],
    updatedAt: readText(row.updated_at),
    picture: parsePictureContent(row.excerpt),
  }));
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
