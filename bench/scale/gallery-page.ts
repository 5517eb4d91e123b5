/** 200 previews in a grid: `/sample?gallery` mounts them, `/baseline?gallery` has plain lazy frames. */
import { toTextFiles } from '@vitrine/project';
import { mount } from '@vitrine/sandbox/host';
import { detectPreviewHost } from '@vitrine/sandbox/preview-host';
import { cards, columns, filesOf, getCardSlug } from './gallery-projects.ts';

declare global {
  interface Window {
    /**
     * Scrolls from top to bottom in the given milliseconds. Resolves to the times between frames.
     */
    scrollThrough(durationMs: number): Promise<number[]>;
    /** Cards with a running project. */
    findRunning(): number[];
    /** Cards that are at least partly visible. */
    findSeen(): number[];
  }
}

const grid = document.createElement('div');
grid.style.cssText = `display: grid; grid-template-columns: repeat(${columns}, 1fr); gap: 16px`;
document.querySelector('textarea')?.remove();
document.querySelector('#result')?.replaceWith(grid);
const show = location.pathname === '/sample' ? showSample : showBaseline;
const running = new Set<number>();
for (let card = 0; card < cards; card += 1) {
  const element = document.createElement('div');
  element.style.cssText = 'aspect-ratio: 16 / 10; background: #eee';
  grid.append(element);
  show(element, card);
}

function showSample(element: HTMLElement, card: number): void {
  const preview = mount({
    element,
    title: `Result of project ${card}`,
    key: getCardSlug(card),
    previewHost: detectPreviewHost({
      appOrigin: location.origin,
      userAgent: navigator.userAgent,
      isSecureContext,
      hasServiceWorker: 'serviceWorker' in navigator,
    }),
    files: toTextFiles(filesOf(card)),
    served: { revision: 1 },
    startWhenVisible: true,
  });
  preview.on((event) => {
    if (event.type !== 'state') return;
    if (event.state.status === 'running') running.add(card);
    else running.delete(card);
  });
}

function showBaseline(element: HTMLElement, card: number): void {
  const frame = document.createElement('iframe');
  frame.style.cssText = 'width: 100%; height: 100%; border: 0';
  frame.loading = 'lazy';
  frame.addEventListener('load', () => running.add(card));
  frame.src = `http://baseline.${location.host}/${card}/`;
  element.append(frame);
}

window.findRunning = () => [...running];
window.findSeen = () =>
  [...grid.children].flatMap((element, card) => {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > 0 && top < innerHeight ? card : [];
  });
window.scrollThrough = (durationMs) =>
  new Promise((resolve) => {
    const height = document.documentElement.scrollHeight - innerHeight;
    const gaps: number[] = [];
    let start: number | undefined;
    let last = Number.NaN;
    const step = (now: number) => {
      start ??= now;
      if (!Number.isNaN(last)) gaps.push(now - last);
      last = now;
      scrollTo(0, Math.min(1, (now - start) / durationMs) * height);
      if (now - start < durationMs) requestAnimationFrame(step);
      else resolve(gaps);
    };
    requestAnimationFrame(step);
  });
