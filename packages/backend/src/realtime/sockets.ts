import { setTimeout as delay } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import type { RealtimeContext } from './channel.ts';
import { openConnection } from './connection.ts';
import type { SocketConnection } from './connection.ts';
import type { ProtocolVersion } from './frames.ts';
import type { SocketCredentials } from './identity.ts';
import { realtimeLimits } from './limits.ts';

/** The sockets of this process. */
export interface Sockets {
  open(socket: WebSocket, version: ProtocolVersion, opener: SocketCredentials): void;
  /** Returns why a new socket from this address is rejected; undefined when it is accepted. */
  findRejection(address: string): string | undefined;
  hasSockets(): boolean;
  /** Ends sockets that have been silent for too long. */
  sweep(): void;
  /** Closes all sockets; their clients reconnect by themselves. */
  closeAll(code: number, reason: string): void;
  close(): Promise<void>;
}

/** Milliseconds that a socket may take for the closing handshake. */
const closeTimeoutMs = 500;

export function createSockets(ctx: RealtimeContext): Sockets {
  const connections = new Set<SocketConnection>();
  const perAddress = new Map<string, number>();
  let isClosing = false;

  function updateCount(address: string, by: 1 | -1): void {
    const now = (perAddress.get(address) ?? 0) + by;
    if (now > 0) perAddress.set(address, now);
    else perAddress.delete(address);
  }

  function closeAll(code: number, reason: string): void {
    for (const connection of connections) connection.close(code, reason);
  }

  return {
    open(socket, version, opener) {
      const { address } = opener;
      const onClose = () => {
        connections.delete(connection);
        updateCount(address, -1);
      };
      const connection = openConnection({ ctx, socket, version, opener, onClose });
      connections.add(connection);
      updateCount(address, 1);
    },
    findRejection(address) {
      if (isClosing) return 'The server is shutting down';
      const { maxSockets, maxSocketsPerAddress } = realtimeLimits;
      const isFull =
        connections.size >= maxSockets || (perAddress.get(address) ?? 0) >= maxSocketsPerAddress;
      return isFull ? 'Too many connected users' : undefined;
    },
    hasSockets: () => connections.size > 0,
    sweep() {
      const now = performance.now();
      for (const connection of connections) connection.sweep(now);
    },
    closeAll,
    async close() {
      isClosing = true;
      closeAll(1001, 'The server is shutting down');
      const deadline = performance.now() + closeTimeoutMs;
      while (connections.size > 0 && performance.now() < deadline) await delay(10);
      for (const connection of connections) connection.end();
    },
  };
}
