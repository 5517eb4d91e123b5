import type { DevtoolsTheme, ToDevtoolsTool } from '../devtools-messages.ts';
import type { PreviewHost } from '../preview-host.ts';
import type { FromFrame } from '../protocol.ts';
import type { FramePermissions } from '../frame-attributes.ts';
import { openFrameConnection, type FrameConnection } from './frame-connection.ts';

/** State of the DevTools tab. */
export type DevtoolsState =
  | { status: 'opening' }
  | { status: 'shown' }
  /** The front end failed to load, or the page's policy blocks its backend. */
  | { status: 'failed'; message: string };

export interface DevtoolsFrontEnd {
  setTheme(theme: DevtoolsTheme): void;
  close(): void;
}

interface OpenDevtoolsOptions {
  /** The front end's frame is appended to this element and fills it. */
  element: HTMLElement;
  theme: DevtoolsTheme;
  onState(state: DevtoolsState): void;
}

export interface Devtools {
  /** Opens DevTools on the running document and each one that replaces it; one front end at a time. */
  open(options: OpenDevtoolsOptions): DevtoolsFrontEnd;
}

interface DevtoolsOptions {
  previewHost: PreviewHost;
  key: string;
  send(message: ToDevtoolsTool, ports?: MessagePort[]): void;
  reload(): void;
}

const paintTimeoutMs = 20_000;
/** No popups, so links in the front end's texts open nothing. */
const devtoolsPermissions: FramePermissions = {
  sandbox: 'allow-scripts allow-downloads',
  allow: 'clipboard-write',
};

export function createDevtools(o: DevtoolsOptions) {
  let frame: FrameConnection | undefined;
  /** The front end has sent its hello. */
  let isReady = false;
  /** The front end has painted. */
  let isShown = false;
  /** The running document's policy blocks the backend script. */
  let isBlocked = false;
  let emitState: (state: DevtoolsState) => void = () => undefined;
  let timeout: ReturnType<typeof setTimeout> | undefined;

  const fail = (message: string) => emitState({ status: 'failed', message });
  const failToLoad = () =>
    fail('DevTools failed to load. Check your connection, then open DevTools again.');

  const reportState = () => {
    if (isBlocked) fail('This page’s Content Security Policy blocks DevTools.');
    else if (isShown) emitState({ status: 'shown' });
  };

  /** Connects the front end to the running document. */
  const connect = () => {
    if (!frame || !isReady) return;
    const { port1, port2 } = new MessageChannel();
    frame.send({ type: 'devtools', message: { type: 'link' } }, [port1]);
    o.send({ type: 'link' }, [port2]);
  };
  const onMessage = (message: FromFrame) => {
    if (message.type === 'reload-page') o.reload();
    if (message.type !== 'painted') return;
    clearTimeout(timeout);
    isShown = true;
    reportState();
  };
  const close = () => {
    if (!frame) return;
    clearTimeout(timeout);
    emitState = () => undefined;
    void frame.close();
    frame = undefined;
    isReady = false;
    isShown = false;
    o.send({ type: 'unlink' });
  };

  return {
    get isOpen() {
      return frame !== undefined;
    },
    open({ element, theme, onState }: OpenDevtoolsOptions): DevtoolsFrontEnd {
      close();
      emitState = onState;
      timeout = setTimeout(failToLoad, paintTimeoutMs);
      const opened = openFrameConnection(element, {
        title: 'DevTools',
        ...findPage(o.previewHost, o.key, theme),
        permissions: devtoolsPermissions,
        onHello({ shown }) {
          if (shown.kind !== 'devtools') return;
          isReady = true;
          connect();
        },
        onMessage,
        onNavigatedAway: failToLoad,
      });
      frame = opened;
      return {
        setTheme: (next) =>
          opened.send({ type: 'devtools', message: { type: 'theme', theme: next } }),
        close: () => frame === opened && close(),
      };
    },
    /** Handles a document whose policy blocks the backend script. */
    onBlocked(): void {
      isBlocked = true;
      reportState();
    },
    /** Handles a new document. */
    beginDocument(): void {
      const wasBlocked = isBlocked;
      isBlocked = false;
      if (wasBlocked) reportState();
      connect();
    },
    close,
  };
}

/** URL of the front end's page: on an origin of its own next to the preview's, or with an opaque origin. */
function findPage(
  previewHost: PreviewHost,
  key: string,
  theme: DevtoolsTheme,
): { url: string; origin: string } {
  const page = `/__vitrine/devtools?embedded=vitrine&theme=${theme}`;
  if (previewHost.transport === 'srcdoc')
    return { url: `${previewHost.origin}${page}`, origin: 'null' };
  const origin = previewHost.origin(key.replace(/^(?:.*--)?/, 'devtools--'));
  return { url: `${origin}${page}`, origin };
}
