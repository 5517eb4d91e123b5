import { pageParameter, runParameter } from '../protocol.ts';

/** Leaves for a page of the run: `path`, or this one, made from a file, again where it was scrolled to. */
export function show(run: string, path: string | null, madeFrom: string): void {
  // Absolute, since a path such as "//example.com/" would lead to another host.
  const address = path === null ? new URL(location.href) : new URL(location.origin);
  if (path !== null) address.pathname = addressOf(path);
  address.searchParams.set(runParameter, path === null ? `${run}.${scrollPosition()}` : run);
  if (path === null && madeFrom !== '') address.searchParams.set(pageParameter, madeFrom);
  location.replace(address.href);
}

function scrollPosition(): string {
  return `${Math.max(0, Math.round(scrollX))}.${Math.max(0, Math.round(scrollY))}`;
}

/** "index.html" → "/", "a b/index.html" → "/a%20b/", "about.html" → "/about.html" */
export function addressOf(path: string): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return `/${encoded.replace(/(^|\/)index\.html$/, '$1')}`;
}

/** Scrolls back as soon as the page is long enough, unless the person has scrolled already. */
export function restoreScroll([x, y]: [x: number, y: number]): void {
  if (x === 0 && y === 0) return;
  const restore = () => {
    if (scrollX === 0 && scrollY === 0) scrollTo({ left: x, top: y, behavior: 'instant' });
  };
  document.addEventListener('DOMContentLoaded', restore, { once: true });
  addEventListener('load', restore, { once: true });
}

/**
 * Calls back when the page is about to leave for another. Not by `pagehide`: a page with a handler
 * for that keeps its process in Chromium, even hung and taken away (host/frame.ts, `discard`).
 */
export function tellWhenLeaving(tell: () => void): void {
  const navigation: Navigation | undefined = window.navigation;
  navigation?.addEventListener('navigate', (event) => {
    if (!event.destination.sameDocument && event.downloadRequest === null) tell();
  });
}
