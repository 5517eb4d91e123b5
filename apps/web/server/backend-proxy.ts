import { connect } from 'node:net';
import { describeErrorForLog, rejectUpgrade, type Backend, type Log } from '@vitrine/backend';
import { processHeader } from './client-address.ts';
import { createBaseHeaders } from './security-headers.ts';

/** Handles requests to `/auth/v1`, `/rest/v1` and so on. */
export type BackendHandler = Pick<Backend, 'fetch' | 'upgrade'>;

interface ForwardingOptions {
  /** URL of the other process: `http://127.0.0.1:4001`. */
  readonly url: string;
  /** Public origin of the instance, the same for both processes. */
  readonly publicOrigin: string;
  /** Authenticates this process, so that the other one trusts the client address it sends. */
  readonly processToken: string;
  readonly log: Log;
}

/** Hop-by-hop headers. */
const hopByHopHeaders = ['connection', 'keep-alive', 'transfer-encoding'];

/**
 * Creates a proxy to the process that has the backend. Streams bodies and WebSocket connections. If
 * that process is unreachable, responds as the backend does without its database.
 */
export function createBackendProxy({
  url,
  publicOrigin,
  processToken,
  log,
}: ForwardingOptions): BackendHandler {
  const { host } = new URL(publicOrigin);
  const target = new URL(url);

  return {
    async fetch(request, from) {
      const { pathname, search } = new URL(request.url);
      const headers = new Headers(request.headers);
      for (const name of hopByHopHeaders) headers.delete(name);
      headers.set('host', host);
      // Compression isn't worth it between processes of one instance.
      headers.set('accept-encoding', 'identity');
      headers.set(processHeader, processToken);
      headers.delete('x-forwarded-for');
      if (from?.address) headers.set('x-forwarded-for', from.address);
      try {
        const response = await fetch(url + pathname + search, {
          method: request.method,
          headers,
          redirect: 'manual',
          signal: request.signal,
          ...(request.body ? { body: request.body, duplex: 'half' } : {}),
        });
        return copyResponse(response);
      } catch (error) {
        // The client has disconnected, so nobody reads the response.
        if (request.signal.aborted)
          return new Response(null, { status: 499, headers: createBaseHeaders(false) });
        if (!(error instanceof TypeError)) throw error;
        log.warn('Can’t reach the backend.', {
          pathname,
          reason: describeErrorForLog(error),
        });
        const body = { code: 'backend_unreachable', message: 'The backend cannot be reached' };
        const errorHeaders = createBaseHeaders(publicOrigin.startsWith('https:'));
        errorHeaders.set('retry-after', '2');
        return Response.json(body, { status: 503, headers: errorHeaders });
      }
    },

    upgrade({ request, socket, head, clientIp }) {
      const port = Number(target.port || 80);
      let isConnected = false;
      const upstream = connect({ host: target.hostname.replace(/^\[|\]$/g, ''), port }, () => {
        isConnected = true;
        upstream.write(`${formatHead(request.method, request.url, headersFor(clientIp))}\r\n\r\n`);
        upstream.write(head);
        socket.pipe(upstream).pipe(socket);
      });
      const headersFor = (client: string): [string, string][] => [
        ...toHeaderPairs(request.rawHeaders).filter(
          ([name]) => !['host', 'x-forwarded-for', processHeader].includes(name.toLowerCase()),
        ),
        ['host', host],
        ['x-forwarded-for', client],
        [processHeader, processToken],
      ];
      upstream.on('error', () => {
        if (!isConnected) rejectUpgrade(socket, 503, 'The backend cannot be reached');
      });
      // Otherwise the error response is still being written.
      upstream.on('close', () => isConnected && socket.destroy());
      socket.on('close', () => upstream.destroy());
      // A client that drops its connection is not an error.
      socket.on('error', () => socket.destroy());
    },
  };
}

function copyResponse(response: Response): Response {
  const headers = new Headers(response.headers);
  for (const name of hopByHopHeaders) headers.delete(name);
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}

/** Converts Node's `rawHeaders`, alternating names and values, to pairs. */
function toHeaderPairs(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : []));
}

function formatHead(method = 'GET', path = '/', headers: readonly [string, string][] = []): string {
  return [`${method} ${path} HTTP/1.1`, ...headers.map((pair) => pair.join(': '))].join('\r\n');
}
