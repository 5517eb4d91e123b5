/** Tool: renders the visible part of the page to a PNG and lists what could not be drawn. */
import { createContext, domToBlob } from 'modern-screenshot';
import { registerTool } from './tool.ts';

registerTool('picture', ({ connection }) => (message) => {
  if (message.type !== 'take') return;
  takePicture().then(
    (picture) => connection.send({ type: 'picture', ...picture }),
    // Whatever the page contains that can't be rendered: there is no screenshot.
    () => connection.send({ type: 'no-picture' }),
  );
});

const emptyImage = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

async function takePicture(): Promise<{ png: ArrayBuffer; undrawn: string[] }> {
  const page = document.documentElement;
  let refused = 0;
  const context = await createContext(page, {
    type: 'image/png',
    width: innerWidth,
    height: innerHeight,
    scale: devicePixelRatio,
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
  // The library compares styles with those of an empty frame, which an opaque-origin document can't access.
  // It gets a frame without a document and takes all styles.
  if (self.origin === 'null') context.sandbox = document.createElement('iframe');
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
