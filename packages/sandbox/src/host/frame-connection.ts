import type { PrerenderedFrame } from '../prerendered-frame.ts';
import { frameAttributes, frameStyle, type FramePermissions } from '../frame-attributes.ts';
import type { PermissionName } from '../permissions.ts';
import {
  parseFromFrame,
  parseHello,
  type FromFrame,
  type Hello,
  type ToFrame,
} from '../protocol.ts';

/**
 * An iframe and the message channel to its document. A hello is accepted if it comes from this frame
 * and from the one expected origin (P-02); everything after it goes through the port that came along.
 */
export interface FrameConnection {
  readonly element: HTMLIFrameElement;
  /** The frame holds a cross-origin document, and none has sent its hello yet. */
  readonly awaitsHello: boolean;
  send(message: ToFrame, ports?: MessagePort[]): void;
  /**
   * Removes the frame, which ends even code that never returns. Resolves when it is gone. With
   * `isAnnounced`, the removal is announced first, so that `beforeunload` handlers don't prompt; an
   * unresponsive document can't receive that.
   */
  close(isAnnounced?: boolean): Promise<void>;
}

interface FrameConnectionOptions {
  title: string;
  url: string;
  /** A prerendered frame for this address, already in the same parent. */
  prerendered?: PrerenderedFrame;
  /** Expected origin of its messages: `null` for the srcdoc transport. */
  origin: string;
  /** Value of `sandbox` and `allow`; defaults to those of a project. */
  permissions?: FramePermissions;
  /** Permissions that the user has allowed the project; by default none. */
  allowed?: ReadonlySet<PermissionName>;
  onHello(hello: Hello): void;
  onMessage(message: FromFrame): void;
  /** Another document sent a hello where only the first one is accepted, for example after a reload. */
  onReloaded?(): void;
  /** The page navigated away: the frame holds a document that sends no hello. */
  onNavigatedAway(): void;
}

/** Longest time between a document's `load` and its hello; the hello normally comes first. P-05 */
const helloAfterLoadMs = 400;

export function openFrameConnection(
  parent: HTMLElement,
  options: FrameConnectionOptions,
): FrameConnection {
  const { prerendered } = options;
  const element = prerendered?.element ?? createElement(options);
  let port: MessagePort | undefined;
  /** A document has sent its hello since the frame's last `load`, and has not announced its unload. */
  let saidHello = false;
  let navigatedAwayTimer: ReturnType<typeof setTimeout> | undefined;
  /** Number of the ping that checks whether the document that sent the last hello is still there. */
  let pingNumber = 0;

  const onWindowMessage = (event: MessageEvent<unknown>) => {
    if (event.source !== element.contentWindow || event.origin !== options.origin) return;
    const hello = parseHello(event.data);
    const [newPort] = event.ports;
    if (!hello || !newPort) return;
    // An opaque origin proves nothing, so only the first document of such a frame is accepted. P-03
    if (options.origin === 'null' && port) return options.onReloaded?.();
    port?.close();
    port = newPort;
    saidHello = true;
    clearTimeout(navigatedAwayTimer);
    newPort.onmessage = ({ data }: MessageEvent<unknown>) => {
      const message = parseFromFrame(data);
      if (!message || port !== newPort) return;
      // The document may unload before its own `load` event; the next `load` is then another document's.
      if (message.type === 'unloading') saidHello = false;
      else if (message.type === 'pong' && message.count === pingNumber)
        clearTimeout(navigatedAwayTimer);
      options.onMessage(message);
    };
    options.onHello(hello);
  };

  const onLoad = () => {
    clearTimeout(navigatedAwayTimer);
    if (!saidHello) {
      navigatedAwayTimer = setTimeout(() => options.onNavigatedAway(), helloAfterLoadMs);
      // A document that announced its unload may stay, and the `load` of a document that was reloaded at
      // once may follow the next one's hello. Both respond to a ping; a document that is gone can't.
      pingNumber += 1;
      port?.postMessage({ type: 'ping', count: pingNumber } satisfies ToFrame);
    }
    saidHello = options.origin === 'null' && port !== undefined;
  };
  element.addEventListener('load', onLoad);
  window.addEventListener('message', onWindowMessage);
  const replay = ({ messages, isLoaded }: PrerenderedFrame) => {
    for (const message of messages) onWindowMessage(message);
    if (isLoaded) onLoad();
  };
  if (prerendered) {
    prerendered.stopRecording();
    // Deferred until the caller has the frame and can respond.
    queueMicrotask(() => replay(prerendered));
  } else parent.append(element);

  return {
    element,
    get awaitsHello() {
      // Until its document has loaded, the frame holds the initial about:blank, which is same-origin.
      return port === undefined && element.contentDocument === null;
    },
    send: (message, ports = []) => port?.postMessage(message, ports),
    close(isAnnounced = false) {
      clearTimeout(navigatedAwayTimer);
      window.removeEventListener('message', onWindowMessage);
      // The about:blank that the frame navigates to must not count as navigating away.
      element.removeEventListener('load', onLoad);
      element.style.display = 'none';
      const oldPort = port;
      port = undefined;
      return removeFrame(
        element,
        oldPort && isAnnounced ? announceClosing(oldPort) : Promise.resolve(),
      );
    },
  };
}

/** Time for a document to disable its `beforeunload` prompts; it takes a few milliseconds. */
const closingTimeoutMs = 150;

/** Announces the removal of the frame. Resolves when the document has responded or timed out. */
async function announceClosing(port: MessagePort): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, closingTimeoutMs);
    port.onmessage = ({ data }: MessageEvent<unknown>) => {
      const message = parseFromFrame(data);
      if (message?.type === 'pong' && message.count === closingCount) resolve();
    };
    port.postMessage({ type: 'closing' } satisfies ToFrame);
    port.postMessage({ type: 'ping', count: closingCount } satisfies ToFrame);
  });
  port.close();
}

/** Number of the ping after `closing`; all earlier pings have smaller numbers. */
const closingCount = 1_000_000_000;

/** Time for about:blank to load; it takes a few milliseconds. */
const blankTimeoutMs = 150;
/** Time that Chromium waits for unload handlers of a removed frame (500 ms), plus a margin. */
const unloadHandlersMs = 700;

/**
 * Removes a frame from the page. Chromium keeps the process of a removed frame alive for its `pagehide`
 * and similar handlers and reuses it for the next frame of the origin, so an unresponsive process would block
 * that one too. A frame that has navigated to about:blank has no such handlers. One that can't navigate,
 * because it handles `beforeunload` and hangs, is removed by Chromium after a while.
 */
async function removeFrame(element: HTMLIFrameElement, announced: Promise<void>): Promise<void> {
  await announced;
  // about:blank would have the app's origin, and a frame with scripts must never have that. SB-05
  element.setAttribute('sandbox', '');
  const isBlank = await new Promise<boolean>((resolve) => {
    element.addEventListener('load', () => resolve(true), { once: true });
    setTimeout(() => resolve(false), blankTimeoutMs);
    element.src = 'about:blank';
  });
  element.remove();
  if (!isBlank) await new Promise((resolve) => setTimeout(resolve, unloadHandlersMs));
}

function createElement({
  title,
  origin,
  permissions,
  allowed,
  url,
}: FrameConnectionOptions): HTMLIFrameElement {
  const element = document.createElement('iframe');
  const attributes = frameAttributes(title, origin, permissions, allowed);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.style.cssText = frameStyle;
  element.src = url;
  return element;
}
