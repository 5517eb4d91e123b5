import { redirect } from 'react-router';
import type { RequestContext } from '../request-context.ts';
import { routeError } from '../ui/route-error.ts';
import { findProject, type FoundProject } from './find-project.server.ts';
import { addressOf } from './identity.ts';

/** The parts of an address under `/@owner/slug`. */
interface PageAddress {
  readonly handle: string;
  readonly slug: string;
  /** What follows: "", or "/full". */
  readonly rest: string;
  readonly search: string;
}

/**
 * The project of an address. Throws "not found" for what is not there and for what is not theirs to
 * see alike, and leads to the owner's name where the address has another.
 */
export async function findPageProject(
  about: RequestContext,
  { handle, slug, rest, search }: PageAddress,
): Promise<FoundProject> {
  const found = handle.startsWith('@') ? await findProject(about, slug) : undefined;
  if (!found) throw routeError('not_found_or_private');
  if (handle !== `@${found.identity.owner}`) {
    throw redirect(addressOf(found.identity) + rest + search);
  }
  return found;
}
