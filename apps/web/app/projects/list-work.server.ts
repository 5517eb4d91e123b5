import { findErrorCode, isRecord, isVisibility, limits } from '@vitrine/project';
import type { RequestContext } from '../request-context.ts';
import { routeError } from '../ui/page/route-error.ts';
import type { OwnProject } from './own-projects.server.ts';
import { parsePictureContent, type ProjectPictureContent } from './project-picture.tsx';
import type { WorkQuery } from './work-query.ts';

/** A project as Your work lists it. */
export interface WorkProject extends OwnProject {
  /** Username of the owner; null while they have none. */
  readonly owner: string | null;
  readonly role: 'owner' | 'editor' | 'viewer';
  /** ISO 8601; null unless the project is in the trash. */
  readonly trashedAt: string | null;
  readonly tags: readonly string[];
  readonly picture: ProjectPictureContent | null;
  /** First place in the files where the search text is. `line` and `text` are null for a path only. */
  readonly match: SearchMatch | null;
}

export interface SearchMatch {
  readonly path: string;
  readonly line: number | null;
  readonly text: string | null;
}

/** A page of the list, with the numbers around it. */
export interface WorkListing {
  readonly projects: readonly WorkProject[];
  /** Number of matching projects on all pages. */
  readonly total: number;
  /** False if there is so much code that only that of the latest projects was searched. */
  readonly isAllSearched: boolean;
  /** Cursors of the neighboring pages. */
  readonly next: string | null;
  readonly previous: string | null;
  readonly counts: { readonly own: number; readonly shared: number; readonly trash: number };
  /** Tags of the user's projects, most used first. */
  readonly tags: readonly { readonly tag: string; readonly count: number }[];
}

const nothing: WorkListing = {
  projects: [],
  total: 0,
  isAllSearched: true,
  next: null,
  previous: null,
  counts: { own: 0, shared: 0, trash: 0 },
  tags: [],
};

/**
 * Lists a page of the signed-in user's projects; nothing for a visitor. For tabs without projects it's
 * the first one, with the numbers. Throws the route error `backend_unreachable`.
 */
export async function listWork(
  { supabase, claims }: RequestContext,
  query: WorkQuery,
): Promise<WorkListing> {
  if (!claims) return nothing;
  const isListed = query.tab !== 'drafts' && query.tab !== 'collections';
  const { data, error } = await supabase.rpc('list_work', {
    scope: isListed ? query.tab : 'own',
    query: query.text,
    visibility: query.visibility,
    tag: query.tag,
    sort: query.sort,
    cursor: query.page?.cursor ?? null,
    backward: query.page?.isBackward ?? false,
    page_size: isListed ? limits.cardsPerPage : 1,
  });
  if (error) {
    // The session ended between its check and this call: the page shows a visitor's.
    if (findErrorCode(error) === 'session_expired') return nothing;
    throw routeError('backend_unreachable');
  }
  return parseListing(data);
}

function parseListing(value: unknown): WorkListing {
  if (!isRecord(value) || !isRecord(value.counts)) throw unexpected(value);
  const { counts } = value;
  return {
    projects: readArray(value.projects).map(parseProject),
    total: Number(value.total),
    isAllSearched: value.searched_all === true,
    next: readText(value.next),
    previous: readText(value.previous),
    counts: {
      own: Number(counts.own),
      shared: Number(counts.shared),
      trash: Number(counts.trash),
    },
    tags: readArray(value.tags).flatMap((row) =>
      isRecord(row) && typeof row.tag === 'string'
        ? [{ tag: row.tag, count: Number(row.count) }]
        : [],
    ),
  };
}

function parseProject(row: unknown): WorkProject {
  if (!isRecord(row)) throw unexpected(row);
  const { id, slug, title, visibility, updated_at: updatedAt, excerpt, match } = row;
  if (
    typeof id !== 'string' ||
    typeof slug !== 'string' ||
    typeof title !== 'string' ||
    typeof updatedAt !== 'string' ||
    !isVisibility(visibility)
  ) {
    throw unexpected(row);
  }
  return {
    id,
    slug,
    title,
    visibility,
    updatedAt,
    owner: readText(row.owner),
    role: row.role === 'owner' || row.role === 'editor' ? row.role : 'viewer',
    trashedAt: readText(row.trashed_at),
    tags: readArray(row.tags).filter((tag) => typeof tag === 'string'),
    picture: parsePictureContent(excerpt),
    match:
      isRecord(match) && typeof match.path === 'string'
        ? {
            path: match.path,
            line: typeof match.line === 'number' ? match.line : null,
            text: readText(match.text),
          }
        : null,
  };
}

function readArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function readText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function unexpected(value: unknown): Error {
  return new Error(`list_work returned an unexpected value: ${JSON.stringify(value)}`);
}
