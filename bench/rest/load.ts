import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Formats an HTTP/1.1 request. */
export function formatRequest(method: string, path: string, body?: string): string {
  const lines = [`${method} ${path} HTTP/1.1`, 'host: localhost', 'accept: application/json'];
  if (body !== undefined) {
    lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(body)}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

/**
 * Responses per second over `connections`, each of which sends the next request immediately. Plain
 * sockets, because an HTTP client would use as much of the two cores as the server.
 */
export async function countAnswers(
  port: number,
  request: string,
  connections: number,
  durationMs: number,
): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const start = performance.now();
  const counts = await Promise.all(
    sockets.map((socket) => requestUntil(socket, request, start + durationMs)),
  );
  const seconds = (performance.now() - start) / 1_000;
  return counts.reduce((sum, count) => sum + count, 0) / seconds;
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket.setNoDelay(true);
}

function requestUntil(socket: Socket, request: string, end: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let count = 0;
    let received = '';
    socket.on('error', reject);
    socket.on('data', (data) => {
      received += data.toString('latin1');
      if (!isComplete(received)) return;
      if (!/^HTTP\/1\.1 20[01] /.test(received)) {
        reject(new Error(`answered ${received.slice(0, 400)}`));
        return;
      }
      received = '';
      count++;
      if (performance.now() < end) socket.write(request);
      else socket.end(() => resolve(count));
    });
    socket.write(request);
  });
}

function isComplete(received: string): boolean {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1];
  if (length !== undefined) return received.length >= headEnd + 4 + Number(length);
  return received.endsWith('0\r\n\r\n');
}
