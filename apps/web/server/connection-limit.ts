import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { toRateLimitKey } from '@vitrine/project';
import { normalizeAddress } from './client-address.ts';

interface ConnectionLimitOptions {
  readonly server: Pick<Server, 'on'>;
  readonly limits: { readonly connectionsPerClient: number };
  isProxy(address: string): boolean;
}

interface ConnectionLimit {
  /**
   * Counts a request until its response, or its WebSocket, closes. On a connection of a proxy or
   * another process it counts for its client, otherwise its connection already does. False if the
   * client has too many.
   */
  openRequest(socket: Socket, client: string, closing: ServerResponse | Duplex): boolean;
  /** Closes connections of clients whose unfinished headers together exceed the bytes. */
  sweep(maxHeaderBytes: number): void;
}

interface Connection {
  /** Network that the connection counts for; undefined once it has turned out to be a proxy's. */
  peer: string | undefined;
  /** Whether the connection exceeds the limit of its network. */
  readonly isExcess: boolean;
  /** Requests in progress. */
  requests: number;
  /** Bytes read before the headers that are arriving. */
  readBefore: number;
}

/** Time that a connection beyond the limit has to send a request, which gets the reason. */
const excessTimeoutMs = 5_000;
/** Connections beyond the limit that get a response. */
const maxExcess = 64;

/** Limits the connections of a network, and what it sends before a request begins. */
export function createConnectionLimit(options: ConnectionLimitOptions): ConnectionLimit {
  const { connectionsPerClient: most } = options.limits;
  const connections = new Map<Socket, Connection>();
  /** Connections, and requests of shared connections, by client. */
  const counts = new Map<string, number>();

  function count(client: string, by: 1 | -1): number {
    const total = (counts.get(client) ?? 0) + by;
    if (total > 0) counts.set(client, total);
    else counts.delete(client);
    return total;
  }

  options.server.on('connection', (socket: Socket) => {
    const address = normalizeAddress(socket.remoteAddress ?? 'unknown');
    if (options.isProxy(address)) return;
    const peer = toRateLimitKey(address);
    const total = count(peer, 1);
    const isExcess = total > most;
    const connection: Connection = { peer, isExcess, requests: 0, readBefore: 0 };
    connections.set(socket, connection);
    socket.once('close', () => {
      connections.delete(socket);
      if (connection.peer !== undefined) count(connection.peer, -1);
    });
    if (total > most + maxExcess) socket.destroy();
    else if (isExcess)
      setTimeout(() => connection.requests === 0 && socket.destroy(), excessTimeoutMs).unref();
  });

  return {
    openRequest(socket, client, closing) {
      const connection = connections.get(socket);
      if (connection) {
        connection.requests += 1;
        closing.once('close', () => {
          connection.requests -= 1;
          connection.readBefore = socket.bytesRead;
        });
        if (connection.peer === client) return !connection.isExcess;
        if (connection.peer !== undefined) count(connection.peer, -1);
        connection.peer = undefined;
      }
      if (client === '') return true;
      const total = count(client, 1);
      closing.once('close', () => count(client, -1));
      return total <= most;
    },
    sweep(maxHeaderBytes) {
      const bytes = new Map<string, number>();
      for (const [socket, { peer, requests, readBefore }] of connections) {
        if (peer === undefined || requests > 0) continue;
        const total = (bytes.get(peer) ?? 0) + socket.bytesRead - readBefore;
        bytes.set(peer, total);
        if (total > maxHeaderBytes) socket.destroy();
      }
    },
  };
}
