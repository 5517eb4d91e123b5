/**
 * Which of a page's previews run because they are seen. Each has a process of its own, so only so
 * many run at once: when more are in view, the others wait until one of them leaves it.
 */
import { limits } from '@vitrine/project';

/** Out of view for this long, a preview gives its memory and time back. */
const sleepAfterMs = 30_000;
/** What comes into view for less, or while the page has not stood still for so long, is scrolled past. */
const restMs = 150;
/** In view for so long, it starts while the page still scrolls. */
const patienceMs = 1_000;

export interface Watched {
  /** It is in view, and its turn. */
  onShown(): void;
  /** It has been out of view for long, or what is in view needs its turn. */
  onHidden(): void;
}

interface Place extends Watched {
  isSeen: boolean;
  /** It has been looked at: what is in view from the start is not being scrolled past. */
  isKnown: boolean;
  /** Until it has rested in view, or been out of it for long. */
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** By element, until its preview closes. */
const places = new Map<Element, Place>();
/** In the order in which they came into view. */
const waiting = new Set<Place>();
/** Those that were shown and not hidden since, the one that left the view longest ago first. */
const running = new Set<Place>();
let observer: IntersectionObserver | undefined;
let scrolledAt = Number.NEGATIVE_INFINITY;

/** Watches whether an element can be seen. */
export function watchVisibility(element: HTMLElement, watched: Watched): { close(): void } {
  const place: Place = { ...watched, isSeen: false, isKnown: false, timer: undefined };
  places.set(element, place);
  observer ??= beginToLook();
  observer.observe(element);
  return {
    close() {
      observer?.unobserve(element);
      places.delete(element);
      clearTimeout(place.timer);
      waiting.delete(place);
      running.delete(place);
      giveTurns();
    },
  };
}

function beginToLook(): IntersectionObserver {
  const noteScroll = () => {
    scrolledAt = performance.now();
  };
  addEventListener('scroll', noteScroll, { capture: true, passive: true });
  return new IntersectionObserver(look);
}

function look(entries: readonly IntersectionObserverEntry[]): void {
  for (const { target, isIntersecting } of entries) {
    const place = places.get(target);
    if (!place) continue;
    clearTimeout(place.timer);
    place.isSeen = isIntersecting;
    if (isIntersecting) come(place);
    else if (place.isKnown) leave(place);
    place.isKnown = true;
  }
  giveTurns();
}

function come(place: Place): void {
  if (running.has(place)) return;
  if (!place.isKnown) waiting.add(place);
  else awaitRest(place, performance.now() + patienceMs);
}

function awaitRest(place: Place, until: number): void {
  place.timer = setTimeout(() => {
    const now = performance.now();
    if (now < until && now - scrolledAt < restMs) {
      awaitRest(place, until);
      return;
    }
    waiting.add(place);
    giveTurns();
  }, restMs);
}

function leave(place: Place): void {
  waiting.delete(place);
  // To the end: it has been out of view for less long than all others.
  if (running.delete(place)) running.add(place);
  place.timer = setTimeout(() => hide(place), sleepAfterMs);
}

function giveTurns(): void {
  for (const place of waiting) {
    if (running.size >= limits.previewsAtOnce) {
      const unseen = [...running].find(({ isSeen }) => !isSeen);
      if (!unseen) return;
      hide(unseen);
    }
    waiting.delete(place);
    running.add(place);
    place.onShown();
  }
}

function hide(place: Place): void {
  clearTimeout(place.timer);
  running.delete(place);
  place.onHidden();
}
