import type { Server } from 'node:http';
import { WebSocketServer, type WebSocket } from 'ws';

/** The baseline: forwards every message unparsed to all other sockets of the room in the URL. */
export function serveBaseline(server: Server): void {
  const rooms = new Map<string, Set<WebSocket>>();
  const upgrades = new WebSocketServer({ server, perMessageDeflate: false, clientTracking: false });
  upgrades.on('connection', (socket, { url = '' }) => {
    const sockets = rooms.get(url) ?? new Set();
    rooms.set(url, sockets.add(socket));
    socket.on('close', () => sockets.delete(socket));
    socket.on('message', (data: Buffer) => {
      for (const other of sockets) if (other !== socket) other.send(data, { binary: true });
    });
  });
}
