import type { RequestContext } from '../request-context.ts';
import { routeError } from '../ui/route-error.ts';

/** The providers that people may sign in by; throws a route error where the backend does not answer. */
export async function readProviders(about: RequestContext): Promise<string[]> {
  const providers = await about.findProviders();
  if (providers === null) throw routeError('backend_unreachable');
  return providers;
}
