import { canBeFocused } from './focusable.ts';

/**
 * Keeps a loading page from taking the keyboard focus from the editor; browsers let any frame do that. Until
 * the user focuses the page, it behaves like a window in the background: `activeElement` is the element that
 * the page focused, and it receives the focus once the page does. A modal dialog that the page opens meanwhile
 * still takes the focus.
 */
export function deferFocus(): void {
  /** Element to focus once the page has the keyboard focus. */
  let pending: { element: Element; take: () => void } | undefined;

  const focusPending = () => {
    const { take } = pending ?? {};
    pending = undefined;
    take?.();
  };
  const focusOrDefer = (element: Element, take: () => void) => {
    if (document.hasFocus() || navigator.userActivation.isActive) return take();
    if (!canBeFocused(element)) return;
    pending = { element, take };
    // Added each time, because `document.open` removes all listeners.
    addEventListener('focus', focusPending, { once: true });
  };

  for (const { prototype } of [HTMLElement, SVGElement]) {
    const focus = prototype.focus;
    prototype.focus = function (this: HTMLElement | SVGElement, options?: FocusOptions) {
      focusOrDefer(this, () => focus.call(this, options));
    };
    const blur = prototype.blur;
    prototype.blur = function (this: HTMLElement | SVGElement) {
      if (pending?.element === this) pending = undefined;
      blur.call(this);
    };
  }
  // In Chromium `select()` focuses the element too.
  for (const { prototype } of [HTMLInputElement, HTMLTextAreaElement]) {
    const select = prototype.select;
    prototype.select = function (this: HTMLInputElement | HTMLTextAreaElement) {
      focusOrDefer(this, () => select.call(this));
    };
  }
  const active = Object.getOwnPropertyDescriptor(Document.prototype, 'activeElement')?.get;
  Object.defineProperty(Document.prototype, 'activeElement', {
    get(this: Document): unknown {
      return this === document && pending && document.contains(pending.element)
        ? pending.element
        : active?.call(this);
    },
    configurable: true,
    enumerable: true,
  });
}
