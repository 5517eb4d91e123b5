import { canBeFocused } from '../focusable.ts';

/**
 * Emulates the focus of a document that runs tests, so that the editor keeps the keyboard: a frame that focuses an
 * element would take it. `activeElement` and the focus events behave as in a browser.
 */
export function emulateFocus(document: Document): void {
  let focused: Element | undefined;

  const findFocused = () =>
    focused && focused.isConnected && document.contains(focused) ? focused : undefined;
  const move = (to: HTMLElement | SVGElement | undefined) => {
    const from = findFocused();
    if (from === to) return;
    focused = undefined;
    if (from) dispatchFocusEvents(from, ['blur', 'focusout'], to);
    focused = to;
    if (to) dispatchFocusEvents(to, ['focus', 'focusin'], from);
  };

  define(Document.prototype, 'activeElement', () => findFocused() ?? document.body);
  Document.prototype.hasFocus = () => true;
  for (const { prototype } of [HTMLElement, SVGElement]) {
    prototype.focus = function (this: HTMLElement | SVGElement) {
      if (canBeFocused(this)) move(this);
    };
    prototype.blur = function (this: HTMLElement | SVGElement) {
      if (findFocused() === this) move(undefined);
    };
  }
}

function define(owner: object, name: string, get: () => unknown): void {
  Object.defineProperty(owner, name, { get, configurable: true });
}

/** Dispatches two events: the first doesn't bubble, the second does. */
function dispatchFocusEvents(
  element: Element,
  types: [string, string],
  relatedTarget: Element | undefined,
): void {
  const init = { composed: true, relatedTarget: relatedTarget ?? null };
  element.dispatchEvent(new FocusEvent(types[0], init));
  element.dispatchEvent(new FocusEvent(types[1], { ...init, bubbles: true }));
}
