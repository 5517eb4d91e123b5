import { parseProtocolText, type ProtocolMessage } from '../devtools-messages.ts';

export interface LinkOptions {
  /** Says something to the front end. */
  tell(text: string): void;
  /** The front end has begun to ask. */
  onFirstWord(): void;
  /** It wants the page loaded anew: the host knows how. */
  onReload(): void;
}

/**
 * What the front end switches on once, as it begins; each new document has to be told again. `CSS`
 * comes after these: by a navigation the front end forgets every stylesheet that it was told of.
 */
const domains = ['Network', 'Page', 'Runtime', 'Debugger', 'DOM', 'Overlay', 'DOMStorage'];
/** A page that does not answer is asked no more than this. */
const mostUnanswered = 1_000;

/** Joins the front end with whichever document is there, one after the other. */
export function createLink(o: LinkOptions) {
  let port: MessagePort | undefined;
  let hasSpoken = false;
  let hasHeard = false;
  /** What the front end waits for, by id; said again to a new document. */
  const unanswered = new Map<number, string>();
  /** Our own questions have ids below 0. */
  let lastId = 0;
  const own = new Map<number, (result: unknown) => void>();

  const tell = (method: string, params: object = {}) => o.tell(JSON.stringify({ method, params }));
  const ask = (method: string, onAnswer: (result: unknown) => void = () => undefined) => {
    lastId -= 1;
    own.set(lastId, onAnswer);
    port?.postMessage(JSON.stringify({ id: lastId, method, params: {} }));
  };

  /** What a browser says when another document has come. */
  const begin = () => {
    own.clear();
    tell('Runtime.executionContextsCleared');
    for (const domain of domains) ask(`${domain}.enable`);
    ask('Page.getResourceTree', (tree) => {
      const frame = findFrame(tree);
      if (frame) tell('Page.frameNavigated', { frame, type: 'Navigation' });
      ask('CSS.enable', () => tell('DOM.documentUpdated'));
    });
  };

  const hear = (data: unknown) => {
    const message = parseProtocolText(data);
    if (!message || typeof data !== 'string') return;
    hasHeard = true;
    if (message.id === undefined) return o.tell(data);
    if (message.id < 0) return hearOwn(message.id, message);
    // Nobody asked for what comes twice, or was never asked.
    if (unanswered.delete(message.id)) o.tell(data);
  };
  const hearOwn = (id: number, { result }: ProtocolMessage) => {
    own.get(id)?.(result);
    own.delete(id);
  };

  return {
    join(next: MessagePort): void {
      port?.close();
      port = next;
      next.onmessage = ({ data }: MessageEvent<unknown>) => port === next && hear(data);
      if (hasHeard) begin();
      for (const text of unanswered.values()) next.postMessage(text);
    },
    send(text: unknown): void {
      const message = parseProtocolText(text);
      if (message?.id === undefined || typeof text !== 'string') return;
      if (!hasSpoken) o.onFirstWord();
      hasSpoken = true;
      if (message.method === 'Page.reload') {
        o.tell(JSON.stringify({ id: message.id, result: {} }));
        return o.onReload();
      }
      if (unanswered.size >= mostUnanswered) unanswered.delete([...unanswered.keys()][0] ?? 0);
      unanswered.set(message.id, text);
      port?.postMessage(text);
    },
  };
}

/** The page's own frame, in an answer to `Page.getResourceTree`. */
function findFrame(tree: unknown): object | undefined {
  const frameTree = member(tree, 'frameTree');
  const frame = member(frameTree, 'frame');
  return typeof frame === 'object' && frame !== null ? frame : undefined;
}

function member(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
}
