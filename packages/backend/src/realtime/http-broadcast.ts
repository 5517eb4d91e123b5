import type { Caller } from '../rest/index.ts';
import type { RealtimeContext } from './channel.ts';
import { FrameError, isRecord, isStorable, parseJson } from './frames.ts';
import type { Broadcast } from './frames.ts';
import { identifyCaller } from './identity.ts';
import type { Identity } from './identity.ts';
import { realtimeLimits } from './limits.ts';
import type { Place } from './rooms.ts';
import { formatTopic, parseTopic } from './topics.ts';

type Letter = Place & { message: Broadcast };

/** A rejected request; the message is sent to the client. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
  }
}

const base = '/realtime/v1/api/broadcast';

/**
 * Handles messages sent over HTTP: `POST …/broadcast` with `{messages: [{topic, event, payload,
 * private}]}`, or `POST …/broadcast/TOPIC/events/EVENT?private=true` with one payload. Responds
 * with 202 when all were sent; otherwise none is.
 */
export async function answerBroadcast(
  ctx: RealtimeContext,
  request: Request,
  caller: Caller,
  address: string,
): Promise<Response> {
  try {
    const identity = identifyCaller(caller, address);
    const letters = await readLetters(request);
    await checkRights(ctx, letters, identity);
    // Counts all messages before sending the first.
    for (const letter of letters) countLetter(ctx, letter, identity);
    for (const { message, ...place } of letters) ctx.rooms.send(place, message);
    return new Response(null, { status: 202 });
  } catch (error) {
    const refusal = error instanceof FrameError ? new Refusal(422, error.message) : error;
    if (!(refusal instanceof Refusal)) throw error;
    const { status, message } = refusal;
    return Response.json({ error: message, message }, { status });
  }
}

function countLetter({ accounts, rooms }: RealtimeContext, place: Place, who: Identity): void {
  if (who.role !== 'service_role' && !accounts.takeMessage(who.account)) {
    throw new Refusal(429, 'You have exceeded your rate limit');
  }
  if (!rooms.takeMessage(place)) throw new Refusal(429, 'Too many messages in this channel');
}

async function checkRights(
  { rights, hasPublicChannels }: RealtimeContext,
  letters: readonly Letter[],
  identity: Identity,
): Promise<void> {
  if (!hasPublicChannels && letters.some(({ isPrivate }) => !isPrivate)) {
    throw new Refusal(403, 'This project only allows private channels');
  }
  const names = new Set(letters.filter(({ isPrivate }) => isPrivate).map(({ name }) => name));
  const found = await Promise.all([...names].map((name) => rights.find(identity, name)));
  if (found.some(({ writeBroadcasts }) => !writeBroadcasts)) {
    throw new Refusal(403, 'You do not have permissions to write to this Channel topic');
  }
}

async function readLetters(request: Request): Promise<Letter[]> {
  const url = new URL(request.url);
  const body = Buffer.from(await request.arrayBuffer());
  if (request.method !== 'POST') throw new Refusal(405, 'Only POST is supported');
  if (url.pathname === base) return readBatch(parseJson(body));
  const [, topic, event] =
    /^\/([^/]+)\/events\/([^/]+)$/.exec(url.pathname.slice(base.length)) ?? [];
  if (topic === undefined || event === undefined) throw new Refusal(404, 'Not found');
  if ([...url.searchParams.keys()].some((name) => name.startsWith('persist'))) {
    throw new Refusal(422, 'Storing messages is not supported');
  }
  const isJson = !request.headers.get('content-type')?.startsWith('application/octet-stream');
  if (isJson) parseJson(body);
  const isPrivate = url.searchParams.get('private') === 'true';
  return [readLetter(decode(topic), decode(event), isPrivate, { body, isJson })];
}

function readBatch(value: unknown): Letter[] {
  const messages = isRecord(value) ? value['messages'] : undefined;
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > 100) {
    throw new Refusal(422, 'messages must be a list of 1 to 100');
  }
  return messages.map((item: unknown) => {
    const { topic, event, payload, private: isPrivate } = isRecord(item) ? item : {};
    if (typeof topic !== 'string' || typeof event !== 'string' || payload === undefined) {
      throw new Refusal(422, 'A message needs topic, event and payload');
    }
    const body = Buffer.from(JSON.stringify(payload));
    return readLetter(topic, event, isPrivate === true || isPrivate === 'true', {
      body,
      isJson: true,
    });
  });
}

function readLetter(
  topic: string,
  event: string,
  isPrivate: boolean,
  { body, isJson }: { body: Buffer; isJson: boolean },
): Letter {
  const name = parseTopic(formatTopic(topic));
  if (name === undefined) throw new Refusal(422, 'Invalid channel name');
  if (!isStorable(event)) throw new Refusal(422, 'The event is not valid text');
  if (Buffer.byteLength(event) > 255) throw new Refusal(422, 'The event is too long');
  if (body.length > realtimeLimits.maxMessageBytes)
    throw new Refusal(413, 'The payload is too large');
  return { name, isPrivate, message: { event, body, isJson } };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) throw new Refusal(400, 'The URL is malformed');
    throw error;
  }
}
