/**
 * Tool: renders the visible part of the page to a PNG and lists what could not be drawn. A poster is refused for
 * a page that shows what only this user has: typed, clicked or stored.
 */
import { createContext, domToBlob } from 'modern-screenshot';
import { registerTool } from './tool.ts';

/** Cloning an element takes 0.1 to 0.3 ms, during which the page is blocked. */
const maxPosterElements = 1_000;
const posterSize = { width: 1_280, height: 800 };
const maxPosterPixels = 6_000_000;
/** Longest wait for an idle page; an animation may never leave it idle. */
const idleTimeoutMs = 3_000;

async function takePoster(
  hasInput: () => boolean,
): Promise<{ png: ArrayBuffer; undrawn: string[] }> {
  await untilIdle();
  if (document.getElementsByTagName('*').length > maxPosterElements)
    throw new Error('the page is too large for a poster');
  if (hasInput() || (await hasStoredData()))
    throw new Error('the page may show what only this user has');
  // Covers the poster's size, as the app crops it.
  const scale = Math.min(
    Math.max(posterSize.width / innerWidth, posterSize.height / innerHeight),
    Math.sqrt(maxPosterPixels / (innerWidth * innerHeight)),
  );
  return takePicture(scale, true);
}

function untilIdle(): Promise<void> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in window)
      requestIdleCallback(() => resolve(), { timeout: idleTimeoutMs });
    else setTimeout(resolve, 100);
  });
}

/** Whether the page has stored anything in this browser, in this visit or an earlier one. */
async function hasStoredData(): Promise<boolean> {
  // With an opaque origin, storage is in memory and there are neither cookies nor databases.
  if (localStorage.length > 0 || sessionStorage.length > 0) return true;
  if (self.origin === 'null') return false;
  return document.cookie !== '' || (await indexedDB.databases()).length > 0;
}

const emptyImage = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

/** With `isUnnoticed`, nothing is added to the page meanwhile, which takes longer. */
async function takePicture(
  scale: number,
  isUnnoticed: boolean,
): Promise<{ png: ArrayBuffer; undrawn: string[] }> {
  const page = document.documentElement;
  let refused = 0;
  const context = await createContext(page, {
    type: 'image/png',
    width: innerWidth,
    height: innerHeight,
    scale,
    backgroundColor: findBackground(),
    style: {
      margin: '0',
      transform: `translate(${-scrollX}px, ${-scrollY}px)`,
      transformOrigin: '0 0',
    },
    features: { restoreScrollPosition: true },
    timeout: 10_000,
    autoDestruct: true,
    async fetchFn(url) {
      const image = await fetchImage(url);
      if (image === undefined) refused += 1;
      return image ?? emptyImage;
    },
  });
  // The library compares styles with those of an empty frame that it adds to the page, and that an
  // opaque-origin document can't access. With a frame outside the page it takes all styles.
  if (isUnnoticed || self.origin === 'null') context.sandbox = document.createElement('iframe');
  const blob = await domToBlob(context);
  const png = await blob.arrayBuffer();
  return { png, undrawn: [...(refused > 0 ? [count(refused, 'picture')] : []), ...findUndrawn()] };
}

/** Loads an image as a data URL; undefined if its host doesn't allow cross-origin reads. */
async function fetchImage(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url);
    if (!response.ok) return undefined;
    return await readAsAddress(await response.blob());
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function readAsAddress(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(typeof reader.result === 'string' ? reader.result : '');
    reader.onerror = () => reject(new Error('a picture could not be read'));
    reader.readAsDataURL(blob);
  });
}

/** Canvas background: the root's color, the body's, or the browser's default. */
function findBackground(): string {
  for (const element of [document.documentElement, document.body]) {
    const { backgroundColor } = getComputedStyle(element);
    if (!/^(?:transparent|rgba\(.*, 0\))$/.test(backgroundColor)) return backgroundColor;
  }
  const isDark =
    getComputedStyle(document.documentElement).colorScheme.includes('dark') &&
    matchMedia('(prefers-color-scheme: dark)').matches;
  return isDark ? '#121212' : '#ffffff';
}

/** Elements whose contents a page can't read: "1 frame", "2 canvases". */
function findUndrawn(): string[] {
  const frames = document.querySelectorAll('iframe, frame, object, embed').length;
  const canvases = [...document.querySelectorAll('canvas')].filter(isTainted).length;
  return [
    ...(frames > 0 ? [count(frames, 'frame')] : []),
    ...(canvases > 0 ? [canvases === 1 ? '1 canvas' : `${canvases} canvases`] : []),
  ];
}

function isTainted(canvas: HTMLCanvasElement): boolean {
  try {
    canvas.toDataURL('image/png');
    return false;
  } catch {
    // The canvas is tainted by cross-origin images.
    return true;
  }
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}

// Last, since the first message is handled at once.
registerTool('screenshot', ({ connection, hasInput }) => (message) => {
  if (message.type !== 'take') return;
  const { purpose } = message;
  const taken = purpose === 'poster' ? takePoster(hasInput) : takePicture(devicePixelRatio, false);
  taken.then(
    (picture) => connection.send({ type: 'screenshot', purpose, ...picture }),
    // Whatever the page contains that can't be rendered: there is no screenshot.
    () => connection.send({ type: 'screenshot-failed', purpose }),
  );
});
