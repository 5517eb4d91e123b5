/**
 * The page that opens the project: `/sample` with `mount()`, `/baseline` (the baseline) in a plain
 * frame.
 */
import { toTextFiles } from '@vitrine/project';
import { mount } from '@vitrine/sandbox/host';
import { detectPreviewHost } from '@vitrine/sandbox/preview-host';

declare global {
  interface Window {
    /** Milliseconds from the page's navigation until the project has rendered. */
    openedMs?: number;
  }
}

const element = document.querySelector<HTMLElement>('#result');
if (!element) throw new Error('the page has no element for the preview');

addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  if (typeof data === 'object' && data !== null && 'hasDrawn' in data)
    window.openedMs ??= performance.now();
});
if (location.pathname === '/baseline') showBaseline(element);
else await showSample(element);

function showBaseline(into: HTMLElement): void {
  const frame = document.createElement('iframe');
  frame.src = `http://baseline.${location.host}/`;
  into.append(frame);
}

async function showSample(into: HTMLElement): Promise<void> {
  const files: [string, string][] = await (await fetch('/files.json')).json();
  mount({
    element: into,
    title: 'Result',
    key: 'edit--fourfourfo',
    previewHost: detectPreviewHost({
      appOrigin: location.origin,
      userAgent: navigator.userAgent,
      isSecureContext,
      hasServiceWorker: 'serviceWorker' in navigator,
    }),
    files: toTextFiles(files),
    served: { revision: 1 },
  });
}
