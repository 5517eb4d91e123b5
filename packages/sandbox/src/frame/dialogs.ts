/* oxlint-disable no-console -- messages for the author of the page */
/** Wraps the functions of `window` that open dialogs and other windows. */
import type { Connection } from './connection.ts';
import { resetLoopTimer } from './loop-limit.ts';

/** Reports modal dialogs: while one is open, the page can't respond to pings and is not hung. */
export function watchDialogs(connection: Connection): void {
  for (const name of ['alert', 'confirm', 'prompt', 'print'] as const) {
    const native: unknown = Reflect.get(window, name);
    if (typeof native !== 'function') continue;
    Reflect.set(window, name, (...args: unknown[]): unknown => {
      connection.send({ type: 'dialog', open: true });
      try {
        return Reflect.apply(native, window, args);
      } finally {
        resetLoopTimer();
        connection.send({ type: 'dialog', open: false });
      }
    });
  }
}

/**
 * Explains why `window.open` returns null. The app's page has `Cross-Origin-Opener-Policy: same-origin`, so that no
 * other window can hold a reference to it (SB-18); browsers therefore open windows for nested frames as with
 * `noopener`. Without an explanation, a page that uses the returned window fails in a confusing way.
 */
export function explainWindowOpen(isSrcdoc: boolean): void {
  const native = window.open;
  const open = (...args: Parameters<typeof window.open>): Window | null => {
    const [url = '', target = '_blank', features = ''] = args;
    const isAllowed = navigator.userActivation.isActive;
    const isOther =
      !/^_(?:self|parent|top)$/i.test(target) &&
      !/\b(?:noopener|noreferrer)\b/i.test(features) &&
      !(target in window.frames && target !== '_blank');
    const isEmpty = /^(?:about:blank)?$/i.test(String(url));
    if (!isOther || !isAllowed || !isEmpty) {
      const opened = Reflect.apply(native, window, args);
      if (opened === null && isOther && isAllowed) console.warn(explain(isSrcdoc));
      return opened;
    }
    // An empty window could never be filled.
    console.error(explain(isSrcdoc));
    return null;
  };
  Reflect.set(window, 'open', open);
}

function explain(isSrcdoc: boolean): string {
  const what =
    'window.open() returned null: in the editor, pages can’t keep a reference to windows they open.';
  return isSrcdoc
    ? `${what} In this browser, previews have no URL of their own, so you can’t test it here.`
    : `${what} To test it, open ${location.href} in a new tab.`;
}
