import { protocolVersion, type FromFrame, type Hello, type ToFrame } from '../protocol.ts';
import { appOrigins, type DocumentInfo } from './environment.ts';

export interface Connection {
  send(message: FromFrame): void;
}

/**
 * Sends hello to the page of the app that embeds this frame. The port is sent to an exact origin of the app
 * (P-01), so only the app receives it, and everything that arrives on it comes from the app. If another page
 * embeds the frame, such as a page of the project, the browser delivers nothing.
 */
export function connect(
  documentInfo: DocumentInfo,
  onMessage: (message: ToFrame, ports: readonly MessagePort[]) => void,
): Connection {
  const hello: Hello = {
    vitrine: 'hello',
    protocol: protocolVersion,
    shown: documentInfo.shown,
    path: documentInfo.path,
  };
  const ports = findEmbedders().map((origin) => sayHello(hello, origin, onMessage));
  return {
    send: (message) => {
      for (const port of ports) port.postMessage(message);
    },
  };
}

/** Sends hello. The browser delivers it only if the embedder has exactly this origin. */
function sayHello(
  hello: Hello,
  origin: string,
  onMessage: (message: ToFrame, ports: readonly MessagePort[]) => void,
): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = (event: MessageEvent<ToFrame>) => onMessage(event.data, event.ports);
  parent.postMessage(hello, origin, [port2]);
  return port1;
}

/**
 * Possible origins of the embedder. Where the browser hides it, all origins of the app are tried: Firefox
 * reports "null", because the frame's referrer policy is `no-referrer`.
 */
function findEmbedders(): readonly string[] {
  const ancestors: DOMStringList | undefined = location.ancestorOrigins;
  const embedder = ancestors?.[0] ?? 'null';
  return embedder === 'null' ? appOrigins : appOrigins.filter((origin) => origin === embedder);
}
