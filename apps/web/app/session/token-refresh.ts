const listeners = new Set<() => void>();

/**
 * Calls `listener` when the session has a new access token, so that requests which failed with an
 * expired one can be retried. Returns a function that unsubscribes.
 */
export function onTokenRefreshed(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Only for `SessionEvents`. */
export function emitTokenRefreshed(): void {
  for (const listener of listeners) listener();
}
