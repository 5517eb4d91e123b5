/**
 * A preview that begins with the page around it: a few lines in the server's HTML make the frame
 * before the app's own scripts are asked for. Whoever mounts the project takes it over, with what it
 * has said until then.
 */
import { findFilePath } from './file-addresses.ts';
import { frameAttributes, frameStyle } from './frame-attributes.ts';
import { enterAt, pageAddress, randomRun } from './run-addresses.ts';

/** A frame that runs, and that nobody has taken over yet. */
export interface BegunFrame {
  readonly element: HTMLIFrameElement;
  readonly run: string;
  /** What it said, oldest first; nothing is added once `end` was called. */
  readonly messages: readonly MessageEvent<unknown>[];
  readonly isLoaded: boolean;
  end(): void;
}

/** What the lines in the page are given; it is written into them. */
export interface Beginning {
  readonly address: string;
  readonly run: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly style: string;
}

export interface BeginningOptions {
  /** Of the preview; served. */
  readonly origin: string;
  readonly title: string;
  /** The project's paths: it begins with `index.html`, or else `index.md`. */
  readonly paths: readonly string[];
  /** A private project's: an address from `mintEntry`, which is used up with this. */
  readonly entry: string | null;
}

/** Undefined where the project has no page to begin with. */
export function planBeginning(o: BeginningOptions): Beginning | undefined {
  const { origin, title, paths, entry } = o;
  const path = findFilePath('/', (wanted) => paths.includes(wanted));
  if (path === undefined) return undefined;
  const run = randomRun();
  const page = pageAddress(origin, path, run);
  const attributes = frameAttributes(title, origin);
  return {
    address: entry === null ? page : enterAt(entry, page),
    run,
    attributes,
    style: frameStyle,
  };
}

/** Takes away a frame that nobody takes over. */
export function dropBegun(begun: BegunFrame): void {
  begun.end();
  begun.element.remove();
}

declare global {
  interface Element {
    /** In the place that a preview is mounted in, from its beginning until it is taken over. */
    vitrineBegun?: BegunFrame;
  }
}

/** Runs in the page, as text: it knows nothing else. */
export function beginFrame(
  { address, run, attributes, style }: Beginning,
  place: HTMLElement,
): HTMLIFrameElement {
  const element = document.createElement('iframe');
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.style.cssText = style;
  const messages: MessageEvent<unknown>[] = [];
  let isLoaded = false;
  const hear = (event: MessageEvent<unknown>) => {
    if (event.source === element.contentWindow) messages.push(event);
  };
  const load = () => (isLoaded = true);
  addEventListener('message', hear);
  element.addEventListener('load', load);
  element.src = address;
  place.style.display = 'grid';
  place.append(element);
  place.vitrineBegun = {
    element,
    run,
    messages,
    get isLoaded() {
      return isLoaded;
    },
    end() {
      removeEventListener('message', hear);
      element.removeEventListener('load', load);
    },
  };
  return element;
}
