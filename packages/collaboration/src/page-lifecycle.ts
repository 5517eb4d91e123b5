/**
 * Listens for a page being hidden, unloaded or coming online, when pending edits have to be saved.
 * Does nothing outside of pages. Returns a function that removes the listeners.
 */
export function listenToPage(on: {
  hidden: () => void;
  unloaded: () => void;
  online: () => void;
}): () => void {
  if (typeof document === 'undefined') return () => {};
  const hide = () => {
    if (document.visibilityState === 'hidden') on.hidden();
  };
  document.addEventListener('visibilitychange', hide);
  addEventListener('pagehide', on.unloaded);
  addEventListener('online', on.online);
  return () => {
    document.removeEventListener('visibilitychange', hide);
    removeEventListener('pagehide', on.unloaded);
    removeEventListener('online', on.online);
  };
}
