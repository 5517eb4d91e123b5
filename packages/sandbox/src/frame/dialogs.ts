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
      if (opened === null && isOther && isAllowed) console.warn(explain(noReference, isSrcdoc));
      return opened;
    }
    // An empty window could never be filled.
    console.error(explain(noReference, isSrcdoc));
    return null;
  };
  Reflect.set(window, 'open', open);
}

const noReference =
  'window.open() returned null: in the editor, pages can’t keep a reference to windows they open.';

/**
 * Explains why links and forms for the window around the page do nothing: that is the app's, and the sandbox
 * refuses it (SB-06). Called again after `document.open`, which removes listeners.
 */
export function explainTopNavigation(isSrcdoc: boolean): void {
  const explainTarget = (event: Event, target: string) => {
    const isTop = /^_top$/i.test(target) || (/^_parent$/i.test(target) && parent === top);
    if (!isTop || event.defaultPrevented) return;
    const what = `target="${target}" does nothing in the editor, where the page is in a frame.`;
    console.warn(explain(what, isSrcdoc));
  };
  const defaultTarget = () => document.querySelector<HTMLBaseElement>('base[target]')?.target ?? '';
  addEventListener('click', (event) => {
    const link = event.composedPath().find((each) => each instanceof HTMLAnchorElement);
    if (link?.hasAttribute('href')) explainTarget(event, link.target || defaultTarget());
  });
  addEventListener('submit', (event) => {
    const { submitter, target: form } = event;
    const own = submitter?.getAttribute('formtarget') ?? '';
    if (form instanceof HTMLFormElement)
      explainTarget(event, own || (form.getAttribute('target') ?? '') || defaultTarget());
  });
}

function explain(what: string, isSrcdoc: boolean): string {
  return isSrcdoc
    ? `${what} In this browser, previews have no URL of their own, so you can’t test it here.`
    : `${what} To test it, open ${location.href} in a new tab.`;
}
