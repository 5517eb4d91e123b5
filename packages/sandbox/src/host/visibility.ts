/** Out of view for this long, a preview gives its memory and time back. */
const sleepAfterMs = 30_000;

/** Watches whether an element can be seen, a little before it can. */
export function watchVisibility(
  element: HTMLElement,
  o: { onShown(): void; onLongHidden(): void },
): { close(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const observer = new IntersectionObserver(
    (entries) => {
      clearTimeout(timer);
      if (entries.at(-1)?.isIntersecting) o.onShown();
      else timer = setTimeout(() => o.onLongHidden(), sleepAfterMs);
    },
    { rootMargin: '100px' },
  );
  observer.observe(element);
  return {
    close() {
      clearTimeout(timer);
      observer.disconnect();
    },
  };
}
