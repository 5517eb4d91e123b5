import type { BegunFrame } from '../begun-frame.ts';
import { frameAttributes, frameStyle, type FramePowers } from '../frame-attributes.ts';
import {
  parseFromFrame,
  parseHello,
  type FromFrame,
  type Hello,
  type ToFrame,
} from '../protocol.ts';

/**
 * One iframe and the conversation with the document in it. A document is believed when its hello
 * comes from this very frame and from the one origin expected there (P-02); everything after that
 * is said over the port it sent along.
 */
export interface Frame {
  readonly element: HTMLIFrameElement;
  /** It has come so far as to hold a document, of the origin, and none has said hello. */
  readonly isMute: boolean;
  send(message: ToFrame, ports?: MessagePort[]): void;
  /**
   * Takes the frame off the page, which ends even code that never returns. Done when it is gone.
   * With `isTold` its document hears of it first, so that no handler of `beforeunload` asks; one that
   * hangs would not hear.
   */
  close(isTold?: boolean): Promise<void>;
}

export interface FrameOptions {
  title: string;
  address: string;
  /** A frame that has begun at that address already, in the same parent. */
  begun?: BegunFrame;
  /** The origin its messages carry: `null` for the portable path. */
  origin: string;
  /** What its documents may do, in the words of `sandbox` and `allow`; a project's if left out. */
  powers?: FramePowers;
  onHello(hello: Hello): void;
  onMessage(message: FromFrame): void;
  /** Another document has said hello where only the first one is believed: it was loaded again, say. */
  onAgain?(): void;
  /** The frame holds another document than the one that said hello, one that does not speak. */
  onStranger(): void;
}

/** Longest time between a document's `load` and its hello; the hello normally comes first. P-05 */
const helloAfterLoadMs = 400;

export function openFrame(parent: HTMLElement, options: FrameOptions): Frame {
  const { begun } = options;
  const element = begun?.element ?? createElement(options);
  let port: MessagePort | undefined;
  /** A document said hello since the frame last finished loading one, and not that it leaves. */
  let greeted = false;
  let strangerTimer: ReturnType<typeof setTimeout> | undefined;
  /** Of the question whether the document that said hello is still there; each has its own. */
  let question = 0;

  const onWindowMessage = (event: MessageEvent<unknown>) => {
    if (event.source !== element.contentWindow || event.origin !== options.origin) return;
    const hello = parseHello(event.data);
    const [offered] = event.ports;
    if (!hello || !offered) return;
    // An opaque origin proves nothing, so there only the first document of a frame is believed. P-03
    if (options.origin === 'null' && port) return options.onAgain?.();
    port?.close();
    port = offered;
    greeted = true;
    clearTimeout(strangerTimer);
    offered.onmessage = ({ data }: MessageEvent<unknown>) => {
      const message = parseFromFrame(data);
      if (!message || port !== offered) return;
      // It may leave before its own `load`; the next one is then that of another document.
      if (message.type === 'leaving') greeted = false;
      else if (message.type === 'pong' && message.count === question) clearTimeout(strangerTimer);
      options.onMessage(message);
    };
    options.onHello(hello);
  };

  const onLoad = () => {
    clearTimeout(strangerTimer);
    if (!greeted) {
      strangerTimer = setTimeout(() => options.onStranger(), helloAfterLoadMs);
      // One that said that it leaves may stay, and the `load` of a document that was loaded again at
      // once may come after the next one's hello: those answer. One that is gone cannot.
      question += 1;
      port?.postMessage({ type: 'ping', count: question } satisfies ToFrame);
    }
    greeted = options.origin === 'null' && port !== undefined;
  };
  element.addEventListener('load', onLoad);
  window.addEventListener('message', onWindowMessage);
  const catchUp = ({ messages, isLoaded }: BegunFrame) => {
    for (const message of messages) onWindowMessage(message);
    if (isLoaded) onLoad();
  };
  if (begun) {
    begun.end();
    // Once whoever opens it has the frame, and can answer.
    queueMicrotask(() => catchUp(begun));
  } else parent.append(element);

  return {
    element,
    get isMute() {
      // Until then it holds the empty page that it began with, which is the app's own.
      return port === undefined && element.contentDocument === null;
    },
    send: (message, ports = []) => port?.postMessage(message, ports),
    close(isTold = false) {
      clearTimeout(strangerTimer);
      window.removeEventListener('message', onWindowMessage);
      // The empty page that it leaves for is no stranger.
      element.removeEventListener('load', onLoad);
      element.style.display = 'none';
      const last = port;
      port = undefined;
      return discard(element, last && isTold ? sayClosing(last) : Promise.resolve());
    },
  };
}

/** How long a document that is to go has to see that it asks nobody. It answers in a few milliseconds. */
const closingWithinMs = 150;

/** Done when the document behind the port has heard that its frame is taken away, or does not answer. */
async function sayClosing(port: MessagePort): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, closingWithinMs);
    port.onmessage = ({ data }: MessageEvent<unknown>) => {
      const message = parseFromFrame(data);
      if (message?.type === 'pong' && message.count === closingCount) resolve();
    };
    port.postMessage({ type: 'closing' } satisfies ToFrame);
    port.postMessage({ type: 'ping', count: closingCount } satisfies ToFrame);
  });
  port.close();
}

/** Of the ping that follows `closing`; earlier ones have smaller numbers. */
const closingCount = 1_000_000_000;

/** The empty page normally comes within a few milliseconds. */
const emptyWithinMs = 150;
/** How long Chromium waits for handlers of a removed page (500 ms), and a little. */
const handlersMs = 700;

/**
 * Chromium keeps the process of a removed frame alive for handlers of `pagehide` and the like, and
 * gives it to the next frame of the origin: a hung one would then hang that too. A frame that has
 * left for an empty page has no such handlers; one that cannot leave, since it handles
 * `beforeunload` and hangs, is given up on by Chromium after a while.
 */
async function discard(element: HTMLIFrameElement, ready: Promise<void>): Promise<void> {
  await ready;
  // The empty page would be of the app's own origin, which a frame with scripts must never be. SB-05
  element.setAttribute('sandbox', '');
  const isEmpty = await new Promise<boolean>((resolve) => {
    element.addEventListener('load', () => resolve(true), { once: true });
    setTimeout(() => resolve(false), emptyWithinMs);
    element.src = 'about:blank';
  });
  element.remove();
  if (!isEmpty) await new Promise((resolve) => setTimeout(resolve, handlersMs));
}

function createElement({ title, address, origin, powers }: FrameOptions): HTMLIFrameElement {
  const element = document.createElement('iframe');
  for (const [name, value] of Object.entries(frameAttributes(title, origin, powers)))
    element.setAttribute(name, value);
  element.style.cssText = frameStyle;
  element.src = address;
  return element;
}
