import { setTimeout as delay } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import type { RealtimeContext } from './channel.ts';
import { openConnection } from './connection.ts';
import type { Connection } from './connection.ts';
import type { Version } from './frames.ts';
import type { Opener } from './identity.ts';
import { realtimeLimits } from './limits.ts';

/** The sockets of this process. */
export interface Sockets {
  open(socket: WebSocket, version: Version, opener: Opener): void;
  /** Returns why a new socket from this address is rejected; undefined when it is accepted. */
  findObstacle(address: string): string | undefined;
  areThereAny(): boolean;
  /** Ends sockets that have been silent for too long. */
  sweep(): void;
  /** Closes all sockets; their clients reconnect by themselves. */
  closeAll(code: number, reason: string): void;
  close(): Promise<void>;
}

/** Milliseconds that a socket may take for the closing handshake. */
const closeTimeoutMs = 500;

export function createSockets(ctx: RealtimeContext): Sockets {
  const connections = new Set<Connection>();
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
    findObstacle(address) {
      if (isClosing) return 'The server is shutting down';
      const { maxSockets, maxSocketsPerAddress } = realtimeLimits;
      const isFull =
        connections.size >= maxSockets || (perAddress.get(address) ?? 0) >= maxSocketsPerAddress;
      return isFull ? 'Too many connected users' : undefined;
    },
    areThereAny: () => connections.size > 0,
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
