/**
 * Elements that respond to clicks and that nobody can reach by keyboard. Browsers don't list
 * listeners, so those for clicks are noted as the page adds them.
 */

/** The click listeners that the page has added. */
export interface Clicks {
  of(element: Element): readonly unknown[];
}

/** Notes click listeners from now on. Those for one click only are left out: they may be gone. */
export function watchClicks(): Clicks {
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

const reachable =
  'a[href], area[href], button, input, select, textarea, iframe, summary, label, audio, video, [role], [tabindex], [contenteditable]:not([contenteditable="false"])';
/** Parts of a page that listen for what is in them, and what is drawn on or listens by itself. */
const notReplaceable =
  'html, body, main, header, footer, nav, aside, section, article, form, fieldset, table, tbody, ul, ol, dl, dialog, canvas, embed, object';
/** An element that holds more than this listens for what is in it. */
const mostDescendants = 10;

/**
 * The elements of the page that do something when they are clicked and are no control: without a
 * role, out of the keyboard's reach, and with nothing in or around them that it can reach. What
 * covers half of the window, or holds many elements, listens for others and is left out.
 */
export function findClickOnly(clicks: Clicks): HTMLElement[] {
  return [...document.body.querySelectorAll<HTMLElement>('*')].filter(
    (element) =>
      element instanceof HTMLElement &&
      listHandlers(element, clicks).some(doesSomething) &&
      !element.matches(notReplaceable) &&
      !element.localName.includes('-') &&
      !element.closest(`${reachable}, [aria-hidden="true"], [inert]`) &&
      !element.querySelector(reachable) &&
      element.getElementsByTagName('*').length <= mostDescendants &&
      canBeClicked(element) &&
      !isLarge(element),
  );
}

/** Those of the element itself, also as React, Svelte and Solid keep them, who listen at the root. */
function listHandlers(element: HTMLElement, clicks: Clicks): unknown[] {
  const props = Object.keys(element).find((key) => key.startsWith('__reactProps$'));
  const ofReact: unknown = props === undefined ? undefined : Reflect.get(element, props);
  return [
    ...clicks.of(element),
    element.onclick,
    isObject(ofReact) ? Reflect.get(ofReact, 'onClick') : undefined,
    Reflect.get(element, '__click'),
    Reflect.get(element, '$$click'),
  ].filter((handler) => handler !== null && handler !== undefined);
}

const onlyKeepsAway =
  /^(?:function\s*\w*\s*)?\(?\s*(\w+)\s*\)?\s*(?:=>)?\s*\{?\s*(?:return\s+)?\1\.(?:stopPropagation|stopImmediatePropagation|preventDefault)\(\);?\s*\}?$/;

/** False of a handler that only keeps a click from others, and of the empty one that React adds for Safari. */
function doesSomething(handler: unknown): boolean {
  if (typeof handler !== 'function') return true;
  const source = Function.prototype.toString.call(handler).trim();
  return !onlyKeepsAway.test(source) && !/\{\s*\}$/.test(source);
}

function canBeClicked(element: HTMLElement): boolean {
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
