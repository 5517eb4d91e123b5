/** The measured process: Realtime and its baseline on two ports, which it sends to the parent. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openRealtime } from '@vitrine/backend/realtime';
import { WebSocketServer, type WebSocket } from 'ws';
import { openBenchDatabase } from '../rest/database.ts';

const database = await openBenchDatabase();
const realtime = await openRealtime({
  database: { ...database.authenticator, user: 'supabase_realtime_admin' },
  // Each token has its own account, because of rate limits per account.
  keys: {
    verify: async (token) => ({ sub: token, session_id: token, role: 'authenticated' }),
  },
  getKeyRole: () => 'anon',
  origins: [],
  hasPublicChannels: true,
  log: { info() {}, warn() {}, error() {} },
});
const sample = createServer();
let opened = 0;
// Each socket has its own client address, because of rate limits per address.
sample.on('upgrade', (request, socket, head) =>
  realtime.upgrade({ request, socket, head, clientIp: `socket ${(opened += 1)}` }),
);
const baseline = createServer();
serveBaseline(baseline);

process.send?.({ sample: await listen(sample), baseline: await listen(baseline) });
process.on('message', async (asked) => {
  if (asked === 'memory') return process.send?.({ bytes: usedBytes() });
  await realtime.close();
  await database.close();
  process.exit(0);
});

/** The baseline: forwards every message unparsed to all other sockets of the room in the URL. */
function serveBaseline(server: Server): void {
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

/** Memory of this process after garbage collection. */
function usedBytes(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
