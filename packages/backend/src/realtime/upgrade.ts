import type { IncomingMessage } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { parseProtocolVersion } from './frames.ts';
import type { ProtocolVersion } from './frames.ts';
import type { SocketCredentials } from './identity.ts';
import { realtimeLimits } from './limits.ts';

/** An `upgrade` event of Node's HTTP server, and the client's IP address. */
export interface UpgradeRequest {
  request: IncomingMessage;
  socket: Duplex;
  head: Buffer;
  clientIp: string;
}

interface UpgradeOptions {
  /**
   * Exact origins whose pages may open a socket. Clients other than browsers send no `Origin`
   * header; they need an API key too.
   */
  origins: readonly string[];
  getKeyRole(key: string): SocketCredentials['keyRole'] | undefined;
  /** Checks the limits for a new socket. Returns why it is rejected, or undefined. */
  checkLimits(clientIp: string): string | undefined;
  onSocket(socket: WebSocket, version: ProtocolVersion, credentials: SocketCredentials): void;
}

/**
 * Creates the handler of `/realtime/v1/websocket`. Rejects invalid requests before a socket is
 * opened.
 */
export function createUpgradeHandler(options: UpgradeOptions): (upgrade: UpgradeRequest) => void {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: realtimeLimits.maxFrameBytes,
    perMessageDeflate: false,
  });
  return ({ request, socket, head, clientIp }) => {
    const verdict = validateUpgrade(options, request, clientIp);
    if ('status' in verdict) return rejectUpgrade(socket, verdict.status, verdict.reason);
    server.handleUpgrade(request, socket, head, (webSocket) =>
      options.onSocket(webSocket, verdict.version, { keyRole: verdict.keyRole, clientIp }),
    );
  };
}

type Verdict =
  | { version: ProtocolVersion; keyRole: SocketCredentials['keyRole'] }
  | { status: number; reason: string };

function validateUpgrade(
  options: UpgradeOptions,
  { url, headers }: IncomingMessage,
  clientIp: string,
): Verdict {
  const { pathname, searchParams } = new URL(url ?? '', 'http://backend');
  if (pathname !== '/realtime/v1/websocket') return { status: 404, reason: 'Not found' };
  // Cookies are not used, but a page of another site could connect from its visitor's network.
  if (headers.origin !== undefined && !options.origins.includes(headers.origin)) {
    return { status: 403, reason: 'This origin is not allowed' };
  }
  const apiKey = searchParams.get('apikey') ?? headers['x-api-key'] ?? headers['apikey'];
  if (typeof apiKey !== 'string') return { status: 401, reason: 'API key is missing' };
  const keyRole = options.getKeyRole(apiKey);
  if (keyRole === undefined) return { status: 401, reason: 'Invalid API key' };
  const version = parseProtocolVersion(searchParams.get('vsn'));
  if (version === undefined) return { status: 400, reason: 'vsn must be 1.0.0 or 2.0.0' };
  const rejection = options.checkLimits(clientIp);
  return rejection === undefined ? { version, keyRole } : { status: 429, reason: rejection };
}

/**
 * Rejects an upgrade with an HTTP response, because there is no WebSocket yet that could be closed
 * with a code.
 */
export function rejectUpgrade(socket: Duplex, status: number, reason: string): void {
  const body = JSON.stringify({ error: reason, message: reason });
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'connection: close',
    'content-type: application/json',
    'cache-control: no-store',
    "content-security-policy: default-src 'none'; frame-ancestors 'none'",
    'referrer-policy: no-referrer',
    'x-content-type-options: nosniff',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  // The client may be gone already.
  socket.on('error', () => socket.destroy());
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
