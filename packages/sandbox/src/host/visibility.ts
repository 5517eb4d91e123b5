/**
 * Runs the previews of a page that are in view. Each preview has a process of its own, so only a limited
 * number runs at once; when more are in view, the others wait until one scrolls out.
 */
import { limits } from '@vitrine/project';

/** A preview that has been out of view for this long stops, to free memory and CPU. */
const sleepAfterMs = 30_000;
/** A preview that is in view for less, or while the page scrolled within this time, is being scrolled past. */
const scrollPauseMs = 150;
/** A preview that has been in view for this long starts even if the page still scrolls. */
const maxWaitMs = 1_000;

interface VisibilityListener {
  /** The element is in view and may run. */
  onShown(): void;
  /** The element has been out of view for a while, or has to make room for one in view. */
  onHidden(): void;
}

interface Entry extends VisibilityListener {
  isSeen: boolean;
  /** The first observation has been made. An element in view from the start isn't being scrolled past. */
  isKnown: boolean;
  /** Timer until the element has settled in view, or has been out of view long enough. */
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** Entries by element; removed when the preview closes. */
const watchedElements = new Map<Element, Entry>();
/** Entries waiting to run, in the order in which they came into view. */
const waiting = new Set<Entry>();
/** Running entries; those out of view for longest come first. */
const running = new Set<Entry>();
let observer: IntersectionObserver | undefined;
let scrolledAt = Number.NEGATIVE_INFINITY;

/** Reports when an element may run and when it has to stop. */
export function observeVisibility(
  element: HTMLElement,
  watched: VisibilityListener,
): { close(): void } {
  const entry: Entry = { ...watched, isSeen: false, isKnown: false, timer: undefined };
  watchedElements.set(element, entry);
  observer ??= createObserver();
  observer.observe(element);
  return {
    close() {
      observer?.unobserve(element);
      watchedElements.delete(element);
      clearTimeout(entry.timer);
      waiting.delete(entry);
      running.delete(entry);
      startWaiting();
    },
  };
}

function createObserver(): IntersectionObserver {
  const onScroll = () => {
    scrolledAt = performance.now();
  };
  addEventListener('scroll', onScroll, { capture: true, passive: true });
  return new IntersectionObserver(onIntersection);
}

function onIntersection(entries: readonly IntersectionObserverEntry[]): void {
  for (const { target, isIntersecting } of entries) {
    const entry = watchedElements.get(target);
    if (!entry) continue;
    clearTimeout(entry.timer);
    entry.isSeen = isIntersecting;
    if (isIntersecting) onEnter(entry);
    else if (entry.isKnown) onLeave(entry);
    entry.isKnown = true;
  }
  startWaiting();
}

function onEnter(entry: Entry): void {
  if (running.has(entry)) return;
  if (!entry.isKnown) waiting.add(entry);
  else waitForScrollEnd(entry, performance.now() + maxWaitMs);
}

function waitForScrollEnd(entry: Entry, until: number): void {
  entry.timer = setTimeout(() => {
    const now = performance.now();
    if (now < until && now - scrolledAt < scrollPauseMs) {
      waitForScrollEnd(entry, until);
      return;
    }
    waiting.add(entry);
    startWaiting();
  }, scrollPauseMs);
}

function onLeave(entry: Entry): void {
  waiting.delete(entry);
  // Moves to the end: it has been out of view for less time than all others.
  if (running.delete(entry)) running.add(entry);
  entry.timer = setTimeout(() => stop(entry), sleepAfterMs);
}

function startWaiting(): void {
  for (const entry of waiting) {
    if (running.size >= limits.maxRunningPreviews) {
      const unseen = [...running].find(({ isSeen }) => !isSeen);
      if (!unseen) return;
      stop(unseen);
    }
    waiting.delete(entry);
    running.add(entry);
    entry.onShown();
  }
}

function stop(entry: Entry): void {
  clearTimeout(entry.timer);
  running.delete(entry);
  entry.onHidden();
}
