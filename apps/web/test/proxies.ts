/** Proxies that change requests like nginx and Caddy with their default settings. */
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import { connect, createServer as createSocketServer } from 'node:net';

/**
 * - `forwarded port`: unchanged bytes, as with SSH and editors;
 * - `nginx`: only `proxy_pass http://127.0.0.1:PORT;`: `Host` is the upstream's, no header is
 *   added, and the client's are forwarded;
 * - `nginx as documented`: with the client's `Host`, and its address appended to X-Forwarded-For;
 * - `Caddy`: the client's `Host`, and X-Forwarded-* of its own instead of the client's.
 */
export type ProxyKind = 'forwarded port' | 'nginx' | 'nginx as documented' | 'Caddy';

export interface Proxy {
  readonly port: number;
  close(): Promise<void>;
}

/** Listens on loopback, for a server on this port of loopback. */
export async function startProxy(kind: ProxyKind, upstream: number): Promise<Proxy> {
  const server =
    kind === 'forwarded port' ? forwardPort(upstream) : forwardRequests(kind, upstream);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port');
  return {
    port: address.port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}

function forwardPort(upstream: number) {
  return createSocketServer((socket) => {
    const onward = connect(upstream, '127.0.0.1');
    socket.pipe(onward).pipe(socket);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
  });
}

function forwardRequests(kind: Exclude<ProxyKind, 'forwarded port'>, upstream: number) {
  return createServer((request, response) => {
    const { host = '', connection: _, ...headers } = request.headers;
    const client = request.socket.remoteAddress ?? '';
    const before = headers['x-forwarded-for']?.toString();
    const added = {
      nginx: { host: `127.0.0.1:${upstream}` },
      'nginx as documented': { host, 'x-forwarded-for': before ? `${before}, ${client}` : client },
      Caddy: {
        host,
        'x-forwarded-for': client,
        'x-forwarded-host': host,
        'x-forwarded-proto': 'https',
      },
    }[kind];
    const onward = send(
      {
        host: '127.0.0.1',
        port: upstream,
        method: request.method,
        path: request.url,
        headers: { ...headers, ...added, connection: 'close' },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
}
