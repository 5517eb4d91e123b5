import {
  CheckFailure,
  parseJsonOrText,
  readField,
  type CheckUser,
  type HostedProject,
} from './hosted-project.ts';

const timeoutMs = 10_000;

/** Opens a WebSocket, joins a channel and returns the status of the reply: `ok` or `error`. */
export async function joinChannel(
  { url, publishableKey }: HostedProject,
  options: { topic: string; isPrivate: boolean; as: CheckUser },
): Promise<string> {
  const address = new URL('/realtime/v1/websocket', url);
  address.protocol = address.protocol.replace('http', 'ws');
  address.searchParams.set('apikey', publishableKey);
  address.searchParams.set('vsn', '2.0.0');
  const socket = new WebSocket(address);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(
    () => reject(new CheckFailure('no response within ten seconds')),
    timeoutMs,
  );
  socket.onerror = () => reject(new CheckFailure(`no WebSocket at ${address.pathname}`));
  socket.onclose = ({ code }) => reject(new CheckFailure(`the socket was closed with ${code}`));
  socket.onopen = () => socket.send(JSON.stringify(createJoinFrame(options)));
  socket.onmessage = ({ data }) => {
    const frame = parseJsonOrText(String(data));
    if (!Array.isArray(frame)) reject(new CheckFailure('received an invalid frame'));
    else if (frame[3] === 'phx_reply') resolve(String(readField(frame[4], 'status')));
  };
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    socket.close();
  }
}

function createJoinFrame({
  topic,
  isPrivate,
  as,
}: {
  topic: string;
  isPrivate: boolean;
  as: CheckUser;
}) {
  const payload = { config: { private: isPrivate }, access_token: as.token };
  return ['1', '1', `realtime:${topic}`, 'phx_join', payload];
}
