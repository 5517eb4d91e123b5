/**
 * Prerendered preview: an inline script in the server's HTML creates the frame before the app's own
 * scripts load. When the app mounts the project, it adopts the frame with the messages received so far.
 */
import { findEntryPath, getServedPath } from './file-urls.ts';
import { frameAttributes, frameStyle } from './frame-attributes.ts';
import { createAccessUrl, createPageUrl, createRunId } from './run-urls.ts';

/** A frame that runs and has not been adopted yet. */
export interface PrerenderedFrame {
  readonly element: HTMLIFrameElement;
  readonly run: string;
  /** Messages received, oldest first; nothing is added after `stopRecording()`. */
  readonly messages: readonly MessageEvent<unknown>[];
  readonly isLoaded: boolean;
  stopRecording(): void;
}

/** Input of the inline script; serialized into the HTML. */
export interface PrerenderPlan {
  readonly address: string;
  readonly run: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly style: string;
}

interface PrerenderOptions {
  /** Origin of the preview. */
  readonly origin: string;
  readonly title: string;
  /** Paths of the project's files; the frame opens `index.html`, `index.md`, or else the only page. */
  readonly paths: readonly string[];
  /** Private projects: the access URL from `mintEntry`, which works once; otherwise null. */
  readonly accessUrl: string | null;
}

/** Plans the prerendered frame; undefined if the project has no entry page. */
export function planPrerender(o: PrerenderOptions): PrerenderPlan | undefined {
  const { origin, title, paths, accessUrl } = o;
  const exists = (candidate: string) => paths.includes(candidate);
  const path = findEntryPath(paths);
  if (path === undefined) return undefined;
  const run = createRunId();
  const page = createPageUrl(origin, getServedPath(path, exists), run);
  const attributes = frameAttributes(title, origin);
  return {
    address: accessUrl === null ? page : createAccessUrl(accessUrl, page),
    run,
    attributes,
    style: frameStyle,
  };
}

/** Removes a prerendered frame that is not adopted. */
export function removePrerendered(prerendered: PrerenderedFrame): void {
  prerendered.stopRecording();
  prerendered.element.remove();
}

/** Creates the frame. Serialized into the page, so it can't refer to anything outside itself. */
export function prerenderFrame(
  { address, run, attributes, style }: PrerenderPlan,
  container: HTMLElement,
): PrerenderedFrame {
  const element = document.createElement('iframe');
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.style.cssText = style;
  const messages: MessageEvent<unknown>[] = [];
  let isLoaded = false;
  const onMessage = (event: MessageEvent<unknown>) => {
    if (event.source === element.contentWindow) messages.push(event);
  };
  const onLoad = () => (isLoaded = true);
  addEventListener('message', onMessage);
  element.addEventListener('load', onLoad);
  element.src = address;
  container.style.display = 'grid';
  container.append(element);
  return {
    element,
    run,
    messages,
    get isLoaded() {
      return isLoaded;
    },
    stopRecording() {
      removeEventListener('message', onMessage);
      element.removeEventListener('load', onLoad);
    },
  };
}
