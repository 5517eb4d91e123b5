import { pageParameter, runParameter } from '../protocol.ts';

/** Leaves for a page of the run: `path`, or this one, made from a file, again where it was scrolled to. */
export function show(run: string, path: string | null, madeFrom: string): void {
  // Absolute, since a path such as "//example.com/" would lead to another host.
  const address = path === null ? new URL(location.href) : new URL(location.origin);
  if (path !== null) address.pathname = addressOf(path);
  address.searchParams.set(runParameter, path === null ? `${run}.${scrollPosition()}` : run);
  if (path === null && madeFrom !== '') address.searchParams.set(pageParameter, madeFrom);
  leaveQuietly(() => location.replace(address.href));
}

function scrollPosition(): string {
  return `${Math.max(0, Math.round(scrollX))}.${Math.max(0, Math.round(scrollY))}`;
}

/** "index.html" → "/", "a b/index.html" → "/a%20b/", "about.html" → "/about.html" */
export function addressOf(path: string): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return `/${encoded.replace(/(^|\/)index\.html$/, '$1')}`;
}

/** Scrolls back as soon as the page is long enough, unless the person has scrolled already. */
export function restoreScroll([x, y]: [x: number, y: number]): void {
  if (x === 0 && y === 0) return;
  const restore = () => {
    if (scrollX === 0 && scrollY === 0) scrollTo({ left: x, top: y, behavior: 'instant' });
  };
  document.addEventListener('DOMContentLoaded', restore, { once: true });
  addEventListener('load', restore, { once: true });
}

/**
 * Calls back when the page is about to leave for another. Not by `pagehide`: a page with a handler
 * for that keeps its process in Chromium, even hung and taken away (host/frame.ts, `discard`).
 */
export function tellWhenLeaving(tell: () => void): void {
  const navigation: Navigation | undefined = window.navigation;
  navigation?.addEventListener(
    'navigate',
    (event) => {
      // A router of the page's would take it for its own, or cancel it.
      if (isReloading) event.stopImmediatePropagation();
      if (event.destination.sameDocument || event.downloadRequest !== null) return;
      // Of a step along the history it is told later than it was asked for.
      if (!isCalling && event.navigationType !== 'traverse') isQuiet = false;
      tell();
    },
    true,
  );
}

/** The document goes, or may go, because the app says so: its `beforeunload` handlers ask nobody. */
let isQuiet = false;
/** A navigation that the app asked for is being begun. */
let isCalling = false;
/** It loads a page of ours, which the page's own code has no say in. */
let isReloading = false;

/** Loads another document: no handler of the page can ask the user, intercept it, or cancel it. */
export function leaveQuietly(load: () => void): void {
  removeForeignFrames(window);
  isReloading = true;
  try {
    beQuiet(load);
  } finally {
    isReloading = false;
  }
}

/**
 * Begins a navigation that the app asks for. Handlers of `beforeunload`, in frames of the page too,
 * run as for any other, but cannot make the browser ask whether to leave. That lasts until the page
 * itself leaves for another.
 */
export function beQuiet(navigate: () => void): void {
  for (const realm of findRealms(window)) quietRealm(realm);
  isQuiet = true;
  isCalling = true;
  try {
    navigate();
  } finally {
    isCalling = false;
  }
}

type Realm = Window & typeof globalThis;

/** The window and those of frames in it, as far as their documents are of this origin. */
function findRealms(realm: Realm): Realm[] {
  return [realm, ...framesOf(realm).filter(isOpen).flatMap(findRealms)];
}

function framesOf(realm: Realm): Realm[] {
  return Array.from({ length: realm.length }, (_, index): unknown =>
    Reflect.get(realm, index),
  ).filter((frame): frame is Realm => typeof frame === 'object' && frame !== null);
}

function isOpen(realm: Realm): boolean {
  try {
    return realm.document instanceof realm.Document;
  } catch {
    // It is of another origin.
    return false;
  }
}

const quietRealms = new WeakSet<Realm>();

/** Takes from the realm's code whatever makes a browser ask, for as long as `isQuiet`. */
function quietRealm(realm: Realm): void {
  quietHandler(realm);
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

/** What `onbeforeunload`, also the attribute of `<body>`, returns counts like a call. */
function quietHandler(realm: Realm): void {
  const handler = realm.onbeforeunload;
  if (!handler) return;
  realm.onbeforeunload = (event) => {
    const answer: unknown = Reflect.apply(handler, realm, [event]);
    return isQuiet ? undefined : answer;
  };
}

/**
 * Takes away frames whose documents nobody here can keep from asking, where they may ask: browsers
 * let those that somebody has clicked or typed in. A frame that is removed asks nobody.
 */
export function removeForeignFrames(realm: Realm): void {
  if (!navigator.userActivation.hasBeenActive) return;
  const frames = framesOf(realm);
  for (const frame of frames.filter(isOpen)) removeForeignFrames(frame);
  const foreign = new Set<unknown>(frames.filter((frame) => !isOpen(frame)));
  if (foreign.size === 0) return;
  for (const element of realm.document.querySelectorAll('iframe, frame, object'))
    if (foreign.has(Reflect.get(element, 'contentWindow'))) element.remove();
}
