import { isRecord } from '@vitrine/project';
import type { Caller } from '../rest/index.ts';
import type { RealtimeContext } from './channel.ts';
import { FrameError, isPostgresText, parseJson } from './frames.ts';
import type { BroadcastMessage } from './frames.ts';
import { identifyCaller } from './identity.ts';
import type { SocketIdentity } from './identity.ts';
import { realtimeLimits } from './limits.ts';
import type { ChannelKey } from './rooms.ts';
import { formatTopic, parseTopic } from './topics.ts';

type BroadcastRequest = ChannelKey & { message: BroadcastMessage };

/** A rejected request; the message is sent to the client. */
class HttpError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
  }
}

const base = '/realtime/v1/api/broadcast';

/**
 * Handles messages sent over HTTP: `POST …/broadcast` with `{messages: [{topic, event, payload,
 * private}]}`, or `POST …/broadcast/TOPIC/events/EVENT?private=true` with one payload. Responds
 * with 202 when all were sent; otherwise none is.
 */
export async function handleHttpBroadcast(
  ctx: RealtimeContext,
  request: Request,
  caller: Caller,
  clientIp: string,
): Promise<Response> {
  try {
    const identity = identifyCaller(caller, clientIp);
    const requests = await parseRequest(request);
    await assertPermissions(ctx, requests, identity);
    // Counts all messages before sending the first.
    for (const broadcastRequest of requests) consumeMessageLimits(ctx, broadcastRequest, identity);
    for (const { message, ...channel } of requests) ctx.rooms.send(channel, message);
    return new Response(null, { status: 202 });
  } catch (error) {
    const httpError = error instanceof FrameError ? new HttpError(422, error.message) : error;
    if (!(httpError instanceof HttpError)) throw error;
    const { status, message } = httpError;
    return Response.json({ error: message, message }, { status });
  }
}

function consumeMessageLimits(
  { accounts, rooms }: RealtimeContext,
  channel: ChannelKey,
  identity: SocketIdentity,
): void {
  if (identity.role !== 'service_role' && !accounts.consumeMessage(identity.account)) {
    throw new HttpError(429, 'You have exceeded your rate limit');
  }
  if (!rooms.consumeMessage(channel)) throw new HttpError(429, 'Too many messages in this channel');
}

async function assertPermissions(
  { permissionLookup, hasPublicChannels }: RealtimeContext,
  requests: readonly BroadcastRequest[],
  identity: SocketIdentity,
): Promise<void> {
  if (!hasPublicChannels && requests.some(({ isPrivate }) => !isPrivate)) {
    throw new HttpError(403, 'This project only allows private channels');
  }
  const names = new Set(requests.filter(({ isPrivate }) => isPrivate).map(({ name }) => name));
  const found = await Promise.all([...names].map((name) => permissionLookup.find(identity, name)));
  if (found.some(({ writeBroadcasts }) => !writeBroadcasts)) {
    throw new HttpError(403, 'You do not have permissions to write to this Channel topic');
  }
}

async function parseRequest(request: Request): Promise<BroadcastRequest[]> {
  const url = new URL(request.url);
  const body = Buffer.from(await request.arrayBuffer());
  if (request.method !== 'POST') throw new HttpError(405, 'Only POST is supported');
  if (url.pathname === base) return parseBatch(parseJson(body));
  const [, topic, event] =
    /^\/([^/]+)\/events\/([^/]+)$/.exec(url.pathname.slice(base.length)) ?? [];
  if (topic === undefined || event === undefined) throw new HttpError(404, 'Not found');
  if ([...url.searchParams.keys()].some((name) => name.startsWith('persist'))) {
    throw new HttpError(422, 'Storing messages is not supported');
  }
  const isJson = !request.headers.get('content-type')?.startsWith('application/octet-stream');
  if (isJson) parseJson(body);
  const isPrivate = url.searchParams.get('private') === 'true';
  return [
    createBroadcastRequest(decodePathPart(topic), decodePathPart(event), isPrivate, {
      body,
      isJson,
    }),
  ];
}

function parseBatch(value: unknown): BroadcastRequest[] {
  const messages = isRecord(value) ? value['messages'] : undefined;
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > 100) {
    throw new HttpError(422, 'messages must be a list of 1 to 100');
  }
  return messages.map((item: unknown) => {
    const { topic, event, payload, private: isPrivate } = isRecord(item) ? item : {};
    if (typeof topic !== 'string' || typeof event !== 'string' || payload === undefined) {
      throw new HttpError(422, 'A message requires a topic, an event, and a payload');
    }
    const body = Buffer.from(JSON.stringify(payload));
    return createBroadcastRequest(topic, event, isPrivate === true || isPrivate === 'true', {
      body,
      isJson: true,
    });
  });
}

function createBroadcastRequest(
  topic: string,
  event: string,
  isPrivate: boolean,
  { body, isJson }: { body: Buffer; isJson: boolean },
): BroadcastRequest {
  const name = parseTopic(formatTopic(topic));
  if (name === undefined) throw new HttpError(422, 'Invalid channel name');
  if (!isPostgresText(event)) throw new HttpError(422, 'The event is not valid text');
  if (Buffer.byteLength(event) > 255) throw new HttpError(422, 'The event is too long');
  if (body.length > realtimeLimits.maxMessageBytes)
    throw new HttpError(413, 'The payload is too large');
  return { name, isPrivate, message: { event, body, isJson } };
}

function decodePathPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) throw new HttpError(400, 'The URL is malformed');
    throw error;
  }
}
