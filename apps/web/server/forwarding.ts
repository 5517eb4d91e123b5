import { connect } from 'node:net';
import { describeReason, refuseUpgrade, type Backend } from '@vitrine/backend';
import { processHeader } from './client-address.ts';
import type { Log } from './log.ts';
import { bareHeaders } from './security-headers.ts';

/** What a process without a backend of its own answers `/auth/v1`, `/rest/v1` and so on with. */
export type BackendPart = Pick<Backend, 'fetch' | 'upgrade'>;

interface ForwardingOptions {
  /** Where the other process listens: `http://127.0.0.1:4001`. */
  readonly url: string;
  /** The address that people type, which is that process's, too. */
  readonly publicOrigin: string;
  /** By which that process knows one of its own, and believes whom it asks for. */
  readonly processToken: string;
  readonly log: Log;
}

/** Of the connection between the two processes. */
const ofConnection = ['connection', 'keep-alive', 'transfer-encoding'];

/**
 * Hands on what is asked of the backend to the process that has it, bodies and sockets as they come.
 * Where that process cannot be reached the answer is the one for a database that is gone.
 */
export function createForwarding({
  url,
  publicOrigin,
  processToken,
  log,
}: ForwardingOptions): BackendPart {
  const { host } = new URL(publicOrigin);
  const target = new URL(url);

  return {
    async fetch(request, from) {
      const { pathname, search } = new URL(request.url);
      const headers = new Headers(request.headers);
      for (const name of ofConnection) headers.delete(name);
      headers.set('host', host);
      // As they are: nothing is packed between two processes of one place.
      headers.set('accept-encoding', 'identity');
      headers.set(processHeader, processToken);
      headers.delete('x-forwarded-for');
      if (from?.address) headers.set('x-forwarded-for', from.address);
      try {
        const answer = await fetch(url + pathname + search, {
          method: request.method,
          headers,
          redirect: 'manual',
          signal: request.signal,
          ...(request.body ? { body: request.body, duplex: 'half' } : {}),
        });
        return passOn(answer);
      } catch (error) {
        // Whoever asked has gone: nobody reads the answer.
        if (request.signal.aborted)
          return new Response(null, { status: 499, headers: bareHeaders(false) });
        if (!(error instanceof TypeError)) throw error;
        log.warn('The backend cannot be reached.', { pathname, reason: describeReason(error) });
        const refusal = { code: 'backend_unreachable', message: 'The backend cannot be reached' };
        const refused = bareHeaders(publicOrigin.startsWith('https:'));
        refused.set('retry-after', '2');
        return Response.json(refusal, { status: 503, headers: refused });
      }
    },

    upgrade({ request, socket, head, address }) {
      const port = Number(target.port || 80);
      let isJoined = false;
      const onward = connect({ host: target.hostname.replace(/^\[|\]$/g, ''), port }, () => {
        isJoined = true;
        onward.write(`${writeHead(request.method, request.url, headersOf(address))}\r\n\r\n`);
        onward.write(head);
        socket.pipe(onward).pipe(socket);
      });
      const headersOf = (client: string): [string, string][] => [
        ...readPairs(request.rawHeaders).filter(
          ([name]) => !['host', 'x-forwarded-for', processHeader].includes(name.toLowerCase()),
        ),
        ['host', host],
        ['x-forwarded-for', client],
        [processHeader, processToken],
      ];
      onward.on('error', () => {
        if (!isJoined) refuseUpgrade(socket, 503, 'The backend cannot be reached');
      });
      // Else the refusal is on its way.
      onward.on('close', () => isJoined && socket.destroy());
      socket.on('close', () => onward.destroy());
      // Told by its end; a socket that is cut off is no fault of ours.
      socket.on('error', () => socket.destroy());
    },
  };
}

function passOn(answer: Response): Response {
  const headers = new Headers(answer.headers);
  for (const name of ofConnection) headers.delete(name);
  const { status, statusText } = answer;
  return new Response(answer.body, { status, statusText, headers });
}

/** Names and values by turns, as they came, are headers once more. */
function readPairs(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? '']] : []));
}

function writeHead(method = 'GET', path = '/', headers: readonly [string, string][] = []): string {
  return [`${method} ${path} HTTP/1.1`, ...headers.map((pair) => pair.join(': '))].join('\r\n');
}
