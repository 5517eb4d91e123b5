/**
 * Finds elements that respond to clicks and can't be reached by keyboard. Browsers don't list listeners, so
 * click listeners are recorded as the page adds them.
 */

/** Click listeners that the page has added. */
export interface ClickListeners {
  of(element: Element): readonly unknown[];
}

/** Records click listeners from now on, except `once` listeners, which may be gone. */
export function recordClickListeners(): ClickListeners {
  const listeners = new WeakMap<EventTarget, Set<unknown>>();
  const { prototype } = EventTarget;
  const { addEventListener: add, removeEventListener: remove } = prototype;
  prototype.addEventListener = function addEventListener(
    this: EventTarget,
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: AddEventListenerOptions | boolean,
  ) {
    add.call(this, type, listener, options);
    if (type !== 'click' || !listener || !(this instanceof Element)) return;
    const { once, signal } = typeof options === 'object' ? (options ?? {}) : {};
    if (once || signal?.aborted) return;
    const known = listeners.get(this) ?? new Set();
    listeners.set(this, known.add(listener));
    if (signal) add.call(signal, 'abort', () => known.delete(listener));
  };
  prototype.removeEventListener = function removeEventListener(
    this: EventTarget,
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: EventListenerOptions | boolean,
  ) {
    remove.call(this, type, listener, options);
    if (type === 'click') listeners.get(this)?.delete(listener);
  };
  return { of: (element) => [...(listeners.get(element) ?? [])] };
}

const focusable =
  'a[href], area[href], button, input, select, textarea, iframe, summary, label, audio, video, [role], [tabindex], [contenteditable]:not([contenteditable="false"])';
/** Containers that usually listen for their descendants, and elements that can't be a button. */
const containers =
  'html, body, main, header, footer, nav, aside, section, article, form, fieldset, table, tbody, ul, ol, dl, dialog, canvas, embed, object';
/** An element with more descendants than this is assumed to listen for them. */
const maxDescendants = 10;

/**
 * Finds elements with a click handler that aren't controls: without a role, not focusable, and with nothing
 * focusable in or around them. An element that covers half the window, or has many descendants, is assumed
 * to listen for others and skipped.
 */
export function findClickOnlyElements(clicks: ClickListeners): HTMLElement[] {
  return [...document.body.querySelectorAll<HTMLElement>('*')].filter(
    (element) =>
      element instanceof HTMLElement &&
      listHandlers(element, clicks).some(isEffective) &&
      !element.matches(containers) &&
      !element.localName.includes('-') &&
      !element.closest(`${focusable}, [aria-hidden="true"], [inert]`) &&
      !element.querySelector(focusable) &&
      element.getElementsByTagName('*').length <= maxDescendants &&
      isClickable(element) &&
      !isLarge(element),
  );
}

/** Handlers of the element itself, including those that React, Svelte and Solid keep for their root listener. */
function listHandlers(element: HTMLElement, clicks: ClickListeners): unknown[] {
  const props = Object.keys(element).find((key) => key.startsWith('__reactProps$'));
  const reactProps: unknown = props === undefined ? undefined : Reflect.get(element, props);
  return [
    ...clicks.of(element),
    element.onclick,
    isObject(reactProps) ? Reflect.get(reactProps, 'onClick') : undefined,
    Reflect.get(element, '__click'),
    Reflect.get(element, '$$click'),
  ].filter((handler) => handler !== null && handler !== undefined);
}

const onlyStopsEvent =
  /^(?:function\s*\w*\s*)?\(?\s*(\w+)\s*\)?\s*(?:=>)?\s*\{?\s*(?:return\s+)?\1\.(?:stopPropagation|stopImmediatePropagation|preventDefault)\(\);?\s*\}?$/;

/** False for a handler that only stops the event, and for the empty one that React adds for Safari. */
function isEffective(handler: unknown): boolean {
  if (typeof handler !== 'function') return true;
  const source = Function.prototype.toString.call(handler).trim();
  return !onlyStopsEvent.test(source) && !/\{\s*\}$/.test(source);
}

function isClickable(element: HTMLElement): boolean {
  return (
    element.checkVisibility({ visibilityProperty: true }) &&
    getComputedStyle(element).pointerEvents !== 'none'
  );
}

function isLarge(element: HTMLElement): boolean {
  const { width, height } = element.getBoundingClientRect();
  return width * height > (innerWidth * innerHeight) / 2;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
