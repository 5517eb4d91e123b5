import { routeError } from './route-error.ts';

/** Every address that nothing answers to. */
export function loader(): never {
  throw routeError('not_found_or_private');
}

export { PageError as ErrorBoundary } from './page-error.tsx';

/** Never rendered: the loader always throws. */
export default function NotFound() {
  return null;
}
