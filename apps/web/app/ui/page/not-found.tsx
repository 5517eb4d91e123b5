import { routeError } from './route-error.ts';

/** The route for every URL without a page. */
export function loader(): never {
  throw routeError('not_found_or_private');
}

export { PageError as ErrorBoundary } from './page-error.tsx';

/** Never rendered, because the loader always throws. */
export default function NotFound() {
  return null;
}
