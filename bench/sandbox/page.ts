/** The page with the text field: `/sample?css` uses `mount()`, `/baseline?css` is the baseline. */
import { toTextFiles } from '@vitrine/project';
import { mount } from '@vitrine/sandbox/host';
import { detectPreviewHost } from '@vitrine/sandbox/preview-host';

/** Milliseconds from each key to its change on the screen. */
const samples: number[] = [];
/** Milliseconds from the page's navigation to the preview's first frame. */
let openedMs: number | undefined;
/** Whether the frame has started its loop. */
let hasHung = false;

declare global {
  interface Window {
    bench: { samples: number[]; opened(): number | undefined; loop(): void; loops(): boolean };
  }
}

const side = location.pathname.slice(1);
const what = location.search.slice(1);
const element = document.querySelector<HTMLElement>('#result');
const textarea = document.querySelector('textarea');
if (!element || !textarea) throw new Error('the page has no text field');

const show = side === 'sample' ? showSample(element) : showBaseline(element);
let count = 0;
let typedAt = 0;

textarea.addEventListener('keydown', (event) => {
  typedAt = event.timeStamp;
  if (what === 'loop') afterFrame(() => samples.push(performance.now() - typedAt));
});
textarea.addEventListener('input', () => {
  count += 1;
  if (what !== 'loop') show(what, count);
});
addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  if (typeof data !== 'object' || data === null) return;
  if ('loops' in data) hasHung = true;
  if (!('shows' in data)) return;
  if (data.shows === 0) openedMs ??= performance.now();
  else if (data.shows === count) samples.push(performance.now() - typedAt);
});
window.bench = {
  samples,
  opened: () => openedMs,
  loop: () => show('hang', 0),
  loops: () => hasHung,
};
textarea.focus();

type Show = (what: string, count: number) => void;

/** Loops in a later task, so that its message is sent first. */
const hangingScript = `parent.postMessage({ loops: true }, '*'); setTimeout(() => { for (;;); });`;

function showSample(into: HTMLElement): Show {
  const files = new Map([
    ['index.html', page('Bench 0')],
    ['style.css', 'h1 { --n: 0 }'],
    ['script.js', 'document.documentElement.dataset.n = 0'],
    ...(what === 'tsx' ? [['script.tsx', typed(0)] as const] : []),
  ]);
  // The server has the saved project.
  const isDraft = what === 'html' || what === 'tsx';
  const preview = mount({
    element: into,
    title: 'Result',
    key: isDraft ? 'draft--bench' : 'edit--benchbench',
    previewHost: detectPreviewHost({
      appOrigin: location.origin,
      userAgent: navigator.userAgent,
      isSecureContext,
      hasServiceWorker: 'serviceWorker' in navigator,
    }),
    files: toTextFiles(files),
    served: isDraft ? null : { revision: 1 },
  });
  const change = (path: string, text: string) =>
    preview.update({ changed: toTextFiles([[path, text]]), removed: [] });
  return (kind, n) => {
    if (kind === 'css') change('style.css', `h1 { --n: ${n} }`);
    else if (kind === 'html') change('index.html', page(`Bench ${n}`));
    else if (kind === 'js') change('script.js', `document.documentElement.dataset.n = ${n}`);
    else if (kind === 'tsx') change('script.tsx', typed(n));
    else if (kind === 'hang') change('script.js', hangingScript);
  };
}

function typed(n: number): string {
  return `/** @jsxRuntime classic @jsx read */
interface Props { readonly n: number }
const read = (Element: (props: Props) => string, props: Props): string => Element(props);
const Shown = ({ n }: Props) => String(n);
document.documentElement.dataset.n = <Shown n={${n}} />;`;
}

function page(heading: string): string {
  const script =
    what === 'html' ? '' : `<script src="script.${what === 'tsx' ? 'tsx' : 'js'}"></script>`;
  return `<!doctype html><html lang="en"><head><title>Bench</title><link rel="stylesheet" href="style.css"></head><body><h1>${heading}</h1>${script}</body></html>`;
}

/** The baseline: a frame in another process that gets messages, or a new document for scripts. */
function showBaseline(into: HTMLElement): Show {
  const frame = document.createElement('iframe');
  const fresh = (n: number) =>
    `<!doctype html><html lang="en"><title>Bench</title><h1>Bench</h1><script>document.documentElement.dataset.n = ${n}</script></html>`;
  if (what === 'js' || what === 'tsx') {
    frame.sandbox.add('allow-scripts');
    frame.srcdoc = fresh(0);
  } else frame.src = `http://baseline.${location.host}/`;
  into.append(frame);
  const post = (message: object) => frame.contentWindow?.postMessage(message, '*');
  return (kind, n) => {
    if (kind === 'css') post({ css: `h1 { --n: ${n} }` });
    else if (kind === 'html') post({ html: `Bench ${n}` });
    else if (kind === 'js' || kind === 'tsx') frame.srcdoc = fresh(n);
    else if (kind === 'hang') post({ loop: true });
  };
}

function afterFrame(callback: () => void): void {
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      callback();
    };
    port2.postMessage(null);
  });
}
