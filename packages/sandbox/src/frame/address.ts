import { resolveSameOrigin } from '@vitrine/project';
import { runParameter } from '../protocol.ts';
import type { Connection } from './connection.ts';
import type { DocumentFacts } from './environment.ts';
import { addressOf, beQuiet, leaveQuietly, removeForeignFrames } from './reload.ts';

/** A page may change its address as often as it likes; the person reads it a few times a second. */
const tellEveryMs = 100;

/** Tells where the page is in its project: now, and whenever that changes. */
export function watchAddress(connection: Connection, facts: DocumentFacts): void {
  const navigation: Navigation | undefined = window.navigation;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tell = () => {
    timer = undefined;
    connection.send({
      type: 'address',
      address: findAddress(facts).slice(0, 2_000),
      canGoBack: navigation?.canGoBack ?? false,
      canGoForward: navigation?.canGoForward ?? false,
    });
  };
  const tellSoon = () => void (timer ??= setTimeout(tell, tellEveryMs));
  // Where a browser lacks the first, a script's own changes of the address are not seen.
  navigation?.addEventListener('currententrychange', tellSoon);
  addEventListener('hashchange', tellSoon);
  addEventListener('popstate', tellSoon);
  tell();
}

/** On the portable path every page has our own address, and only what follows `#` is the page's. */
function findAddress({ shown, path }: DocumentFacts): string {
  const { pathname, search, hash } = location;
  return (shown.kind === 'portable' ? addressOf(path) : pathname + search) + hash;
}

/** Goes to an address of the project, as a browser does whose address bar says it. */
export function go(run: string, address: string): void {
  const target = resolveSameOrigin(address, location.origin);
  if (!target) return;
  const isHere = target.pathname + target.search === location.pathname + location.search;
  if (isHere && target.hash !== '') location.hash = target.hash;
  else {
    target.searchParams.set(runParameter, run);
    leaveQuietly(() => location.assign(target));
  }
}

/** Along this frame's own entries; `history` would go along those of the app's page too. */
export function travel(by: -1 | 1): void {
  const navigation: Navigation | undefined = window.navigation;
  const at = (navigation?.currentEntry?.index ?? 0) + by;
  if (navigation?.entries()[at]?.sameDocument === false) removeForeignFrames(window);
  beQuiet(() => {
    const step = by === -1 ? navigation?.back() : navigation?.forward();
    // At the end of the list there is nowhere to go, and a page may refuse to be left.
    step?.committed?.catch(() => undefined);
    step?.finished?.catch(() => undefined);
  });
}
