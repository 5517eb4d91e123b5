import { findFileChanges, isRecord, type ProjectFiles } from '@vitrine/project';
import type { RequestContext } from '../request-context.ts';
import { routeError } from '../ui/page/route-error.ts';
import { findProject, findVersion, type FoundProject } from '../workspace/find-project.server.ts';
import type { PathChange } from '../workspace/history/versions.ts';
import { toProjectFiles } from '../workspace/project-files.ts';

/** A fork that the user may see. */
interface Fork {
  readonly slug: string;
  readonly title: string;
  readonly username: string;
  /** ISO 8601. */
  readonly updatedAt: string;
}

/**
 * Lists the forks of a project that the user may see, latest changes first, and the number of all.
 * Throws the route error `backend_unreachable`.
 */
export async function listForks(
  { supabase }: RequestContext,
  slug: string,
): Promise<{ forks: readonly Fork[]; total: number }> {
  const { data, error } = await supabase.rpc('list_forks', { slug });
  if (error) throw routeError('backend_unreachable');
  // The project was deleted meanwhile.
  if (!isRecord(data)) throw routeError('not_found_or_private');
  const rows: unknown[] = Array.isArray(data.forks) ? data.forks : [];
  return { forks: rows.flatMap(parseFork), total: Number(data.total) };
}

function parseFork(row: unknown): Fork[] {
  if (!isRecord(row)) return [];
  const { slug, title, username, updated_at: updatedAt } = row;
  return typeof slug === 'string' &&
    typeof title === 'string' &&
    typeof username === 'string' &&
    typeof updatedAt === 'string'
    ? [{ slug, title, username, updatedAt }]
    : [];
}

/** What a fork has changed. */
export interface ForkComparison {
  /** Version of the original that was forked; null if the original is compared as it is now. */
  readonly version: number | null;
  readonly changes: readonly PathChange[];
}

/**
 * Compares a fork with the version of its original that was forked, or with the original as it is now
 * if that isn't known. Null if the project is no fork or the user can't see the original.
 */
export async function compareWithOriginal(
  requestInfo: RequestContext,
  fork: FoundProject,
): Promise<ForkComparison | null> {
  const { original } = fork.identity;
  const slug = original?.address.split('/').at(-1);
  if (!original || slug === undefined) return null;
  const version =
    original.version === null ? undefined : await findVersion(requestInfo, slug, original.version);
  const now = version ? undefined : await findOriginal(requestInfo, slug);
  const before = version ? new Map(version.version.files) : now && getFiles(now);
  if (!before) return null;
  return {
    version: version ? version.version.number : null,
    changes: listChanges(before, getFiles(fork)),
  };
}

function listChanges(before: ProjectFiles, after: ProjectFiles): PathChange[] {
  const { changed, removed } = findFileChanges(before, after);
  const changes: PathChange[] = [
    ...Array.from(changed.keys(), (path) => ({
      path,
      kind: before.has(path) ? ('changed' as const) : ('added' as const),
    })),
    ...removed.map((path) => ({ path, kind: 'removed' as const })),
  ];
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Finds the original. One in its owner's trash counts as gone, though its owner gets an error. */
async function findOriginal(
  requestInfo: RequestContext,
  slug: string,
): Promise<FoundProject | undefined> {
  const { data, error } = await requestInfo.supabase.rpc('find_project', { slug });
  if (error) throw routeError('backend_unreachable');
  const isThere = isRecord(data) && data.trashed_at === null;
  return isThere ? findProject(requestInfo, slug) : undefined;
}

function getFiles({ files, assets }: FoundProject): ProjectFiles {
  return toProjectFiles(files, assets);
}
