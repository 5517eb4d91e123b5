import { resolveSameOrigin } from '@vitrine/project';
import { runParameter } from '../protocol.ts';
import type { Connection } from './connection.ts';
import type { DocumentInfo } from './environment.ts';
import {
  urlPathOf,
  withoutPrompt,
  navigateWithoutPrompt,
  removeCrossOriginFrames,
} from './navigation.ts';

/** Shortest interval between two reports of the URL. */
const reportIntervalMs = 100;

/** Reports the page's URL within its project, now and whenever it changes. */
export function watchAddress(connection: Connection, documentInfo: DocumentInfo): void {
  const navigation: Navigation | undefined = window.navigation;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const report = () => {
    timer = undefined;
    connection.send({
      type: 'address',
      address: currentAddress(documentInfo).slice(0, 2_000),
      canGoBack: navigation?.canGoBack ?? false,
      canGoForward: navigation?.canGoForward ?? false,
    });
  };
  const reportSoon = () => void (timer ??= setTimeout(report, reportIntervalMs));
  // Without the Navigation API, URL changes by scripts (`history.pushState`) aren't noticed.
  navigation?.addEventListener('currententrychange', reportSoon);
  addEventListener('hashchange', reportSoon);
  addEventListener('popstate', reportSoon);
  report();
}

/** URL of the page. With the srcdoc transport every page has our own URL, and only the fragment is the page's. */
function currentAddress({ shown, path }: DocumentInfo): string {
  const { pathname, search, hash } = location;
  return (shown.kind === 'srcdoc' ? urlPathOf(path) : pathname + search) + hash;
}

/** Navigates to a URL of the project, like a browser's address bar. */
export function navigateTo(run: string, address: string): void {
  const target = resolveSameOrigin(address, location.origin);
  if (!target) return;
  const isHere = target.pathname + target.search === location.pathname + location.search;
  if (isHere && target.hash !== '') location.hash = target.hash;
  else {
    target.searchParams.set(runParameter, run);
    navigateWithoutPrompt(() => location.assign(target));
  }
}

/** Traverses this frame's own history; the `history` API would traverse that of the app's page too. */
export function traverseHistory(by: -1 | 1): void {
  const navigation: Navigation | undefined = window.navigation;
  const at = (navigation?.currentEntry?.index ?? 0) + by;
  if (navigation?.entries()[at]?.sameDocument === false) removeCrossOriginFrames(window);
  withoutPrompt(() => {
    const step = by === -1 ? navigation?.back() : navigation?.forward();
    // There may be no such entry, and the page may cancel the navigation.
    step?.committed?.catch(() => undefined);
    step?.finished?.catch(() => undefined);
  });
}
