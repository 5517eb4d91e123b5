import { protocolVersion, type FromFrame, type Hello, type ToFrame } from '../protocol.ts';
import { appOrigins, type DocumentFacts } from './environment.ts';

export interface Connection {
  send(message: FromFrame): void;
}

/**
 * Says hello to the page of the app that holds this frame. The port goes to an exact origin of
 * ours (P-01), so what arrives on it is from the app, and nobody else ever gets it. In a frame
 * that something else holds (a page of the project, say) nothing is delivered.
 */
export function connect(
  facts: DocumentFacts,
  onMessage: (message: ToFrame, ports: readonly MessagePort[]) => void,
): Connection {
  const hello: Hello = {
    vitrine: 'hello',
    protocol: protocolVersion,
    shown: facts.shown,
    path: facts.path,
  };
  const ports = findHolders().map((origin) => sayHello(hello, origin, onMessage));
  return {
    send: (message) => {
      for (const port of ports) port.postMessage(message);
    },
  };
}

/** The browser delivers this only if the holder's origin is exactly the one named. */
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

/** Not every browser says who holds a frame; where it does not, each of our origins is tried. */
function findHolders(): readonly string[] {
  const ancestors: DOMStringList | undefined = location.ancestorOrigins;
  if (!ancestors) return appOrigins;
  return appOrigins.filter((origin) => origin === ancestors[0]);
}
