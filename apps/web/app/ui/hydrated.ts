import { useSyncExternalStore } from 'react';

/** False on the server and in the first render of its page; true once this page's script runs it. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );
}
