import { canBeFocused } from '../focusable.ts';

/**
 * The focus of a document that runs tests. Somebody may be typing in the editor meanwhile, and a
 * frame that focuses an element takes the keyboard with it. So the focus of this document is kept
 * here: `activeElement` and the events are as a browser has them, and the keyboard stays where it is.
 */
export function keepFocus(document: Document): void {
  let focused: Element | undefined;

  const findFocused = () =>
    focused && focused.isConnected && document.contains(focused) ? focused : undefined;
  const move = (to: HTMLElement | SVGElement | undefined) => {
    const from = findFocused();
    if (from === to) return;
    focused = undefined;
    if (from) tell(from, ['blur', 'focusout'], to);
    focused = to;
    if (to) tell(to, ['focus', 'focusin'], from);
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

/** The first of each pair stays at its element, the second bubbles. */
function tell(element: Element, types: [string, string], relatedTarget: Element | undefined): void {
  const init = { composed: true, relatedTarget: relatedTarget ?? null };
  element.dispatchEvent(new FocusEvent(types[0], init));
  element.dispatchEvent(new FocusEvent(types[1], { ...init, bubbles: true }));
}
