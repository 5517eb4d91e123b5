/* oxlint-disable no-console -- what is said here is for whoever wrote the page */
/**
 * Windows that a page opens. The app's page has `Cross-Origin-Opener-Policy: same-origin`, so that it is
 * in no other window's hand (SB-18); browsers therefore open windows for the frames in it as if for
 * `noopener`, and give back null. A page that goes on with what it has got fails in a way that nobody
 * would understand, so it is said what happened, and where it works.
 */
export function explainWindows(isPortable: boolean): void {
  const native = window.open;
  const open = (...args: Parameters<typeof window.open>): Window | null => {
    const [address = '', target = '_blank', features = ''] = args;
    const isAllowed = navigator.userActivation.isActive;
    const isOther =
      !/^_(?:self|parent|top)$/i.test(target) &&
      !/\b(?:noopener|noreferrer)\b/i.test(features) &&
      !(target in window.frames && target !== '_blank');
    const isEmpty = /^(?:about:blank)?$/i.test(String(address));
    if (!isOther || !isAllowed || !isEmpty) {
      const opened = Reflect.apply(native, window, args);
      if (opened === null && isOther && isAllowed) console.warn(explain(isPortable));
      return opened;
    }
    // Nothing could ever be put into it.
    console.error(explain(isPortable));
    return null;
  };
  Reflect.set(window, 'open', open);
}

function explain(isPortable: boolean): string {
  const what =
    'window.open() returned null: in the editor, a page can’t keep a window that it opens, so that no such window reaches the editor.';
  return isPortable
    ? `${what} In this browser, results have no URL of their own to try it at.`
    : `${what} To try it, open ${location.href} in its own tab.`;
}
