import type { RequestContext, SignInWays } from '../request-context.ts';
import { routeError } from '../ui/route-error.ts';

/** How people may come in; throws a route error where the backend does not answer. */
export async function readSignInWays(about: RequestContext): Promise<SignInWays> {
  const ways = await about.findSignInWays();
  if (ways === null) throw routeError('backend_unreachable');
  return ways;
}
