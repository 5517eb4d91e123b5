const listeners = new Set<() => void>();

/** Calls `retry` when the session has a new token: what failed for an expired one can be sent again. */
export function onTokenRefreshed(retry: () => void): () => void {
  listeners.add(retry);
  return () => listeners.delete(retry);
}

/** For the session's events only. */
export function tellTokenRefreshed(): void {
  for (const listener of listeners) listener();
}
