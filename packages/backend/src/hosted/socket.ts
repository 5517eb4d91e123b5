import { Finding, type Person, type Project } from './project.ts';

const patienceMs = 10_000;

/** Opens a socket, joins a channel, and tells what was answered: `ok` or `error`. */
export async function joinChannel(
  { url, publishableKey }: Project,
  o: { topic: string; isPrivate: boolean; as: Person },
): Promise<string> {
  const address = new URL('/realtime/v1/websocket', url);
  address.protocol = address.protocol.replace('http', 'ws');
  address.searchParams.set('apikey', publishableKey);
  address.searchParams.set('vsn', '2.0.0');
  const socket = new WebSocket(address);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const late = setTimeout(() => reject(new Finding('no answer within ten seconds')), patienceMs);
  socket.onerror = () => reject(new Finding(`no socket at ${address.pathname}`));
  socket.onclose = ({ code }) => reject(new Finding(`the socket was closed with ${code}`));
  socket.onopen = () => socket.send(JSON.stringify(writeJoin(o)));
  socket.onmessage = ({ data }) => {
    const status = readReply(data);
    if (status !== undefined) resolve(status);
  };
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    socket.close();
  }
}

function writeJoin({ topic, isPrivate, as }: { topic: string; isPrivate: boolean; as: Person }) {
  const payload = { config: { private: isPrivate }, access_token: as.token };
  return ['1', '1', `realtime:${topic}`, 'phx_join', payload];
}

/** ["1","1","realtime:x","phx_reply",{"status":"ok"}] → 'ok' */
function readReply(data: unknown): string | undefined {
  const frame: unknown = typeof data === 'string' ? JSON.parse(data) : undefined;
  if (!Array.isArray(frame) || frame[3] !== 'phx_reply') return undefined;
  return String(Reflect.get(Object(frame[4]), 'status'));
}
