import { useSyncExternalStore } from 'react';

/** Whether the page has hydrated: false on the server and in the first render in the browser. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );
}
