import { isRecord, isSlug, isVisibility, type Visibility } from '@vitrine/project';
import { parsePictureContent, type ProjectPictureContent } from '../projects/project-picture.tsx';
import type { RequestContext } from '../request-context.ts';
import { routeError } from '../ui/page/route-error.ts';

export interface Collection {
  readonly id: string;
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly visibility: Visibility;
  readonly coverId: string | null;
  readonly owner: { readonly id: string; readonly username: string };
  readonly items: readonly CollectionItem[];
}

export interface CollectionItem {
  /** Id of the project. */
  readonly id: string;
  readonly note: string;
  /** Null for the collection's owner if the project is gone, in the trash or private by now. */
  readonly project: CollectedProject | null;
}

export interface CollectedProject {
  readonly slug: string;
  readonly title: string;
  readonly username: string;
  readonly visibility: Visibility;
  readonly picture: ProjectPictureContent | null;
}

/** A collection in a list. */
export interface CollectionSummary {
  readonly id: string;
  readonly slug: string;
  readonly title: string;
  readonly visibility: Visibility;
  /** ISO 8601. */
  readonly updatedAt: string;
  /** Number of projects that the user may see. */
  readonly count: number;
  readonly picture: ProjectPictureContent | null;
}

/**
 * Finds a collection by its slug. Undefined if there is none or the user may not see it. Throws the
 * route error `backend_unreachable`.
 */
export async function findCollection(
  { supabase }: RequestContext,
  slug: string,
): Promise<Collection | undefined> {
  if (!isSlug(slug)) return undefined;
  const { data, error } = await supabase.rpc('read_collection', { slug });
  if (error) throw routeError('backend_unreachable');
  return data === null ? undefined : parseCollection(data);
}

/**
 * Lists the collections of a user that the caller finds in lists, latest changes first. Throws the
 * route error `backend_unreachable`.
 */
export async function listCollections(
  { supabase }: RequestContext,
  owner: string,
): Promise<readonly CollectionSummary[]> {
  const { data, error } = await supabase.rpc('list_collections', { owner });
  if (error) throw routeError('backend_unreachable');
  const rows: unknown[] = Array.isArray(data) ? data : [];
  return rows.map((row) => {
    if (!isRecord(row) || !isVisibility(row.visibility)) throw unexpected(row);
    return {
      id: String(row.id),
      slug: String(row.slug),
      title: String(row.title),
      visibility: row.visibility,
      updatedAt: String(row.updated_at),
      count: Number(row.count),
      picture: parsePictureContent(row.excerpt),
    };
  });
}

function parseCollection(row: unknown): Collection {
  if (!isRecord(row) || !isVisibility(row.visibility) || !isRecord(row.owner))
    throw unexpected(row);
  const items: unknown[] = Array.isArray(row.items) ? row.items : [];
  return {
    id: String(row.id),
    slug: String(row.slug),
    title: String(row.title),
    description: String(row.description),
    visibility: row.visibility,
    coverId: typeof row.cover_id === 'string' ? row.cover_id : null,
    owner: { id: String(row.owner.id), username: String(row.owner.username) },
    items: items.map(parseItem),
  };
}

function parseItem(row: unknown): CollectionItem {
  if (!isRecord(row)) throw unexpected(row);
  return { id: String(row.id), note: String(row.note), project: parseProject(row.project) };
}

function parseProject(row: unknown): CollectedProject | null {
  // Without a username the owner has no URL yet, so neither has the project.
  if (!isRecord(row) || !isVisibility(row.visibility) || typeof row.username !== 'string')
    return null;
  return {
    slug: String(row.slug),
    title: String(row.title),
    username: row.username,
    visibility: row.visibility,
    picture: parsePictureContent(row.excerpt),
  };
}

function unexpected(value: unknown): Error {
  return new Error(`the database returned no collection: ${JSON.stringify(value)}`);
}
