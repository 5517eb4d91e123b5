import { pageParameter, runParameter } from '../protocol.ts';

/** Navigates to a page of the run or, for null, reloads this one (made from `madeFrom`) and restores its scroll position. */
export function navigateToPage(run: string, path: string | null, madeFrom: string): void {
  // Absolute, because a path such as "//example.com/" would lead to another host.
  const url = path === null ? new URL(location.href) : new URL(location.origin);
  if (path !== null) url.pathname = urlPathOf(path);
  url.searchParams.set(runParameter, path === null ? `${run}.${scrollPosition()}` : run);
  if (path === null && madeFrom !== '') url.searchParams.set(pageParameter, madeFrom);
  navigateWithoutPrompt(() => location.replace(url.href));
}

function scrollPosition(): string {
  return `${Math.max(0, Math.round(scrollX))}.${Math.max(0, Math.round(scrollY))}`;
}

/** URL path of a file: "index.html" → "/", "a b/index.html" → "/a%20b/", "about.html" → "/about.html" */
export function urlPathOf(path: string): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return `/${encoded.replace(/(^|\/)index\.html$/, '$1')}`;
}

/** Restores the scroll position as soon as the page is long enough, unless the user has scrolled. */
export function restoreScroll([x, y]: [x: number, y: number]): void {
  if (x === 0 && y === 0) return;
  const restore = () => {
    if (scrollX === 0 && scrollY === 0) scrollTo({ left: x, top: y, behavior: 'instant' });
  };
  document.addEventListener('DOMContentLoaded', restore, { once: true });
  addEventListener('load', restore, { once: true });
}

/**
 * Calls back when the page is about to navigate to another document. `pagehide` can't be used: Chromium keeps the
 * process of a page with such a handler alive, even if it is hung and removed (host/frame-connection.ts, `removeFrame`).
 */
export function onUnload(onLeave: () => void): void {
  const navigation: Navigation | undefined = window.navigation;
  navigation?.addEventListener(
    'navigate',
    (event) => {
      // A router of the page would handle or cancel the navigation.
      if (isReloading) event.stopImmediatePropagation();
      if (event.destination.sameDocument || event.downloadRequest !== null) return;
      // A history traversal fires this event later than it was requested.
      if (!isCalling && event.navigationType !== 'traverse') isQuiet = false;
      onLeave();
    },
    true,
  );
}

/** The app is navigating: `beforeunload` handlers must not prompt. Cleared when the page itself navigates. */
let isQuiet = false;
/** Set while a navigation of the app is being started. */
let isCalling = false;
/** Set while the app loads another document, which the page's code can't intercept. */
let isReloading = false;

/** Loads another document. No handler of the page can prompt, intercept or cancel. */
export function navigateWithoutPrompt(load: () => void): void {
  removeCrossOriginFrames(window);
  isReloading = true;
  try {
    withoutPrompt(load);
  } finally {
    isReloading = false;
  }
}

/**
 * Starts a navigation of the app. `beforeunload` handlers of the page and its frames run, but can't make the
 * browser prompt. That lasts until the page itself navigates.
 */
export function withoutPrompt(navigate: () => void): void {
  for (const realm of findSameOriginRealms(window)) disablePrompts(realm);
  isQuiet = true;
  isCalling = true;
  try {
    navigate();
  } finally {
    isCalling = false;
  }
}

type Realm = Window & typeof globalThis;

/** The window and the windows of nested same-origin frames. */
function findSameOriginRealms(realm: Realm): Realm[] {
  return [realm, ...framesOf(realm).filter(isSameOrigin).flatMap(findSameOriginRealms)];
}

function framesOf(realm: Realm): Realm[] {
  return Array.from({ length: realm.length }, (_, index): unknown =>
    Reflect.get(realm, index),
  ).filter((frame): frame is Realm => typeof frame === 'object' && frame !== null);
}

function isSameOrigin(realm: Realm): boolean {
  try {
    return realm.document instanceof realm.Document;
  } catch {
    // The frame is cross-origin.
    return false;
  }
}

const quietRealms = new WeakSet<Realm>();

/** Disables whatever makes a browser prompt in a realm, while `isQuiet` is set. */
function disablePrompts(realm: Realm): void {
  disablePromptHandler(realm);
  if (quietRealms.has(realm)) return;
  quietRealms.add(realm);
  const { prototype } = realm.Event;
  const prevent = prototype.preventDefault;
  Reflect.defineProperty(prototype, 'preventDefault', {
    ...Object.getOwnPropertyDescriptor(prototype, 'preventDefault'),
    value(this: Event) {
      if (!isQuiet || this.type !== 'beforeunload') prevent.call(this);
    },
  });
  for (const holder of [prototype, realm.BeforeUnloadEvent.prototype]) {
    const property = Object.getOwnPropertyDescriptor(holder, 'returnValue');
    Reflect.defineProperty(holder, 'returnValue', {
      ...property,
      set(this: Event, value: unknown) {
        if (!isQuiet || this.type !== 'beforeunload') property?.set?.call(this, value);
      },
    });
  }
}

/** Wraps `onbeforeunload`, whose return value makes the browser prompt too. */
function disablePromptHandler(realm: Realm): void {
  const handler = realm.onbeforeunload;
  if (!handler) return;
  realm.onbeforeunload = (event) => {
    const answer: unknown = Reflect.apply(handler, realm, [event]);
    return isQuiet ? undefined : answer;
  };
}

/**
 * Removes cross-origin frames, whose `beforeunload` prompts can't be disabled. Only needed after a user
 * activation: without one, browsers don't prompt. A removed frame doesn't prompt.
 */
export function removeCrossOriginFrames(realm: Realm): void {
  if (!navigator.userActivation.hasBeenActive) return;
  const frames = framesOf(realm);
  for (const frame of frames.filter(isSameOrigin)) removeCrossOriginFrames(frame);
  const foreign = new Set<unknown>(frames.filter((frame) => !isSameOrigin(frame)));
  if (foreign.size === 0) return;
  for (const element of realm.document.querySelectorAll('iframe, frame, object'))
    if (foreign.has(Reflect.get(element, 'contentWindow'))) element.remove();
}
