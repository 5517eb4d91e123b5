import { setTimeout as delay } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import type { RealtimeContext } from './channel.ts';
import { SocketConnection } from './connection.ts';
import type { ProtocolVersion } from './frames.ts';
import type { SocketCredentials } from './identity.ts';
import { realtimeLimits } from './limits.ts';

/** The sockets of this process. */
export interface Sockets {
  open(socket: WebSocket, version: ProtocolVersion, credentials: SocketCredentials): void;
  /** Checks the limits for a new socket of this client. Returns why it is rejected, or undefined. */
  checkLimits(clientIp: string): string | undefined;
  hasSockets(): boolean;
  /** Terminates sockets that have been silent for too long. */
  terminateIdle(): void;
  /** Closes all sockets; their clients reconnect by themselves. */
  closeAll(code: number, reason: string): void;
  close(): Promise<void>;
}

/** Milliseconds that a socket may take for the closing handshake. */
const closeTimeoutMs = 500;

export function createSockets(ctx: RealtimeContext): Sockets {
  const connections = new Set<SocketConnection>();
  const countByIp = new Map<string, number>();
  let isClosing = false;

  function updateCount(clientIp: string, by: 1 | -1): void {
    const count = (countByIp.get(clientIp) ?? 0) + by;
    if (count > 0) countByIp.set(clientIp, count);
    else countByIp.delete(clientIp);
  }

  function closeAll(code: number, reason: string): void {
    for (const connection of connections) connection.close(code, reason);
  }

  return {
    open(socket, version, credentials) {
      const { clientIp } = credentials;
      const onClose = () => {
        connections.delete(connection);
        updateCount(clientIp, -1);
      };
      const connection = new SocketConnection({ ctx, socket, version, credentials, onClose });
      connections.add(connection);
      updateCount(clientIp, 1);
    },
    checkLimits(clientIp) {
      if (isClosing) return 'The server is shutting down';
      const { maxSockets, maxSocketsPerAddress } = realtimeLimits;
      const isFull =
        connections.size >= maxSockets || (countByIp.get(clientIp) ?? 0) >= maxSocketsPerAddress;
      return isFull ? 'Too many connected users' : undefined;
    },
    hasSockets: () => connections.size > 0,
    terminateIdle() {
      const now = performance.now();
      for (const connection of connections) connection.terminateIfIdle(now);
    },
    closeAll,
    async close() {
      isClosing = true;
      closeAll(1001, 'The server is shutting down');
      const deadline = performance.now() + closeTimeoutMs;
      while (connections.size > 0 && performance.now() < deadline) await delay(10);
      for (const connection of connections) connection.terminate();
    },
  };
}
