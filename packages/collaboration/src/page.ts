/**
 * Listens for the moments in a page's life that matter to unsaved work; where there is no page,
 * none come. Returns how to stop it.
 */
export function listenToPage(on: { hidden: () => void; online: () => void }): () => void {
  if (typeof document === 'undefined') return () => {};
  const hide = () => {
    if (document.visibilityState === 'hidden') on.hidden();
  };
  document.addEventListener('visibilitychange', hide);
  addEventListener('pagehide', on.hidden);
  addEventListener('online', on.online);
  return () => {
    document.removeEventListener('visibilitychange', hide);
    removeEventListener('pagehide', on.hidden);
    removeEventListener('online', on.online);
  };
}
