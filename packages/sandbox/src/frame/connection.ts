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

/**
 * Where the browser does not say who holds a frame, each of our origins is tried: Firefox says
 * "null", since the frame's referrer policy is `no-referrer`.
 */
function findHolders(): readonly string[] {
  const ancestors: DOMStringList | undefined = location.ancestorOrigins;
  const holder = ancestors?.[0] ?? 'null';
  return holder === 'null' ? appOrigins : appOrigins.filter((origin) => origin === holder);
}
