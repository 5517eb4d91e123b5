import { canBeFocused } from './focusable.ts';

/**
 * Somebody may be typing in the editor while a page loads, and a page that focuses an element takes
 * the keyboard with it: a browser lets every frame do that. So until a person comes to the page it is
 * as in a window in the background: `activeElement` is what the page has focused, and the focus itself
 * is there once the page is. A modal dialog that the page opens meanwhile still takes the keyboard.
 */
export function leaveKeyboard(): void {
  /** What the page wants once it has the keyboard. */
  let wanted: { element: Element; take: () => void } | undefined;

  const takeWanted = () => {
    const { take } = wanted ?? {};
    wanted = undefined;
    take?.();
  };
  const holdBack = (element: Element, take: () => void) => {
    if (document.hasFocus() || navigator.userActivation.isActive) return take();
    if (!canBeFocused(element)) return;
    wanted = { element, take };
    // Each time, since `document.open` takes every listener away.
    addEventListener('focus', takeWanted, { once: true });
  };

  for (const { prototype } of [HTMLElement, SVGElement]) {
    const focus = prototype.focus;
    prototype.focus = function (this: HTMLElement | SVGElement, options?: FocusOptions) {
      holdBack(this, () => focus.call(this, options));
    };
    const blur = prototype.blur;
    prototype.blur = function (this: HTMLElement | SVGElement) {
      if (wanted?.element === this) wanted = undefined;
      blur.call(this);
    };
  }
  // In Chromium it focuses, too.
  for (const { prototype } of [HTMLInputElement, HTMLTextAreaElement]) {
    const select = prototype.select;
    prototype.select = function (this: HTMLInputElement | HTMLTextAreaElement) {
      holdBack(this, () => select.call(this));
    };
  }
  const active = Object.getOwnPropertyDescriptor(Document.prototype, 'activeElement')?.get;
  Object.defineProperty(Document.prototype, 'activeElement', {
    get(this: Document): unknown {
      return this === document && wanted && document.contains(wanted.element)
        ? wanted.element
        : active?.call(this);
    },
    configurable: true,
    enumerable: true,
  });
}
