import type { RequestContext, SignInOptions } from '../../request-context.ts';
import { routeError } from '../../ui/page/route-error.ts';

/**
 * Loads the sign-in methods of this instance. Throws a route error if the backend is unreachable.
 */
export async function getSignInOptions(request: RequestContext): Promise<SignInOptions> {
  const options = await request.fetchSignInOptions();
  if (options === null) throw routeError('backend_unreachable');
  return options;
}
