import { redirect } from 'react-router';
import type { RequestContext } from '../request-context.ts';
import { routeError } from '../ui/page/route-error.ts';
import { findProject, type FoundProject } from './find-project.server.ts';
import { getWorkspacePath } from './sharing/identity.ts';

/** Parts of a URL below `/@owner/slug`. */
interface PageAddress {
  readonly handle: string;
  readonly slug: string;
  /** Rest of the path: "" or "/full". */
  readonly rest: string;
  readonly search: string;
}

/**
 * Finds the project of a page. Throws "not found" both for missing projects and for those the user
 * may not see. Redirects to the owner's current username if the URL has another.
 */
export async function findPageProject(
  requestInfo: RequestContext,
  { handle, slug, rest, search }: PageAddress,
): Promise<FoundProject> {
  const found = handle.startsWith('@') ? await findProject(requestInfo, slug) : undefined;
  if (!found) throw routeError('not_found_or_private');
  if (handle !== `@${found.identity.owner}`) {
    throw redirect(getWorkspacePath(found.identity) + rest + search);
  }
  return found;
}
