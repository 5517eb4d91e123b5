import { parseProtocolText, type ProtocolMessage } from '../devtools-messages.ts';

interface DevtoolsLinkOptions {
  /** Posts a protocol text to the front end. */
  send(text: string): void;
  /** The front end has sent its first request. */
  onFirstRequest(): void;
  /** The front end asks to reload the page, which only the host can do. */
  onReload(): void;
}

/**
 * Domains that the front end enables once when it starts; they have to be enabled again for each new document. `CSS` comes
 * after these, because the front end drops all stylesheets on a navigation.
 */
const domains = ['Network', 'Page', 'Runtime', 'Debugger', 'DOM', 'Overlay', 'DOMStorage'];
/** Maximum number of requests waiting for a response. */
const maxUnanswered = 1_000;

/** Connects the front end to the running document and to each one that replaces it. */
export function createDevtoolsLink(o: DevtoolsLinkOptions) {
  let port: MessagePort | undefined;
  let hasRequested = false;
  let isConnected = false;
  /** Unanswered requests of the front end by id; sent again to a new document. */
  const unanswered = new Map<number, string>();
  /** Last id of our own requests, which are negative. */
  let lastId = 0;
  const ownRequests = new Map<number, (result: unknown) => void>();

  const emitEvent = (method: string, params: object = {}) =>
    o.send(JSON.stringify({ method, params }));
  const request = (method: string, onAnswer: (result: unknown) => void = () => undefined) => {
    lastId -= 1;
    ownRequests.set(lastId, onAnswer);
    port?.postMessage(JSON.stringify({ id: lastId, method, params: {} }));
  };

  /** Sends the events that a browser would send for a new document. */
  const onNewDocument = () => {
    ownRequests.clear();
    emitEvent('Runtime.executionContextsCleared');
    for (const domain of domains) request(`${domain}.enable`);
    request('Page.getResourceTree', (tree) => {
      const frame = findFrame(tree);
      if (frame) emitEvent('Page.frameNavigated', { frame, type: 'Navigation' });
      request('CSS.enable', () => emitEvent('DOM.documentUpdated'));
    });
  };

  const onMessage = (data: unknown) => {
    const message = parseProtocolText(data);
    if (!message || typeof data !== 'string') return;
    isConnected = true;
    if (message.id === undefined) return o.send(data);
    if (message.id < 0) return onOwnResponse(message.id, message);
    // Drops duplicate responses and responses nobody requested.
    if (unanswered.delete(message.id)) o.send(data);
  };
  const onOwnResponse = (id: number, { result }: ProtocolMessage) => {
    ownRequests.get(id)?.(result);
    ownRequests.delete(id);
  };

  return {
    join(next: MessagePort): void {
      port?.close();
      port = next;
      next.onmessage = ({ data }: MessageEvent<unknown>) => port === next && onMessage(data);
      if (isConnected) onNewDocument();
      for (const text of unanswered.values()) next.postMessage(text);
    },
    send(text: unknown): void {
      const message = parseProtocolText(text);
      if (message?.id === undefined || typeof text !== 'string') return;
      if (!hasRequested) o.onFirstRequest();
      hasRequested = true;
      if (message.method === 'Page.reload') {
        o.send(JSON.stringify({ id: message.id, result: {} }));
        return o.onReload();
      }
      if (unanswered.size >= maxUnanswered) unanswered.delete([...unanswered.keys()][0] ?? 0);
      unanswered.set(message.id, text);
      port?.postMessage(text);
    },
  };
}

/** Main frame in a response to `Page.getResourceTree`. */
function findFrame(tree: unknown): object | undefined {
  const frameTree = member(tree, 'frameTree');
  const frame = member(frameTree, 'frame');
  return typeof frame === 'object' && frame !== null ? frame : undefined;
}

function member(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
}
