import type { RequestContext, SignInWays } from '../request-context.ts';
import { routeError } from '../ui/route-error.ts';

/**
 * Loads the sign-in methods of this instance. Throws a route error if the backend is unreachable.
 */
export async function readSignInWays(request: RequestContext): Promise<SignInWays> {
  const options = await request.findSignInWays();
  if (options === null) throw routeError('backend_unreachable');
  return options;
}
