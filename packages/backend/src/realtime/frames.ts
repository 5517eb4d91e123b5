/**
 * The Phoenix protocol in the two serializations of realtime-js.
 *
 * 1.0.0: text, `{"topic", "event", "payload", "ref", "join_ref"}`; only clients send `join_ref`.
 * 2.0.0: text, `[join_ref, ref, topic, event, payload]`; and channel messages in binary:
 *
 *   from a client: 3, lengths of join_ref, ref, topic, event and metadata, encoding, these texts,
 *                  then the message to the end
 *   to a client:   4, lengths of topic, event and metadata, encoding, these texts, the message
 *
 * The kind (3 or 4), each length and the encoding are one byte. The encoding says whether the
 * message is JSON (1) or bytes (0). The metadata is JSON.
 */
import { isRecord } from '@vitrine/project';
import { realtimeLimits } from './limits.ts';

export type ProtocolVersion = '1.0.0' | '2.0.0';

/** Identifies a frame and its join, so that replies can be matched. */
interface FrameRefs {
  joinRef: string | null;
  ref: string | null;
  topic: string;
}

export interface IncomingFrame extends FrameRefs {
  event: string;
  payload: Record<string, unknown>;
  /** Set for a valid frame of the event `broadcast`. */
  broadcast?: BroadcastMessage;
}

/**
 * A channel message. Its body is kept as received, so that it is serialized once for all members.
 */
export interface BroadcastMessage {
  event: string;
  body: Buffer;
  isJson: boolean;
  /** Metadata as JSON: `{"id": …}` for messages from the database. */
  meta?: string;
}

/** A serialized frame; the same bytes may be sent to many sockets. */
export interface OutgoingFrame {
  bytes: Buffer;
  isBinary: boolean;
}

/** A malformed frame. Its message can be sent to the client: it contains nothing of the frame. */
export class FrameError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FrameError';
  }
}

export function parseProtocolVersion(text: string | null): ProtocolVersion | undefined {
  if (text === null) return '1.0.0';
  return text === '1.0.0' || text === '2.0.0' ? text : undefined;
}

/** Parses a frame. Throws a FrameError. */
export function parseFrame(
  version: ProtocolVersion,
  bytes: Buffer,
  isBinary: boolean,
): IncomingFrame {
  if (isBinary) {
    if (version === '1.0.0') throw new FrameError('a binary frame requires version 2.0.0');
    return parseBinary(bytes);
  }
  const value = parseJson(bytes);
  const [joinRef, ref, topic, event, payload] =
    version === '2.0.0' ? parseArray(value) : parseObject(value);
  if (typeof topic !== 'string' || typeof event !== 'string' || !isRecord(payload)) {
    throw new FrameError('a frame requires a topic, an event, and a payload');
  }
  const frame = { joinRef: parseRef(joinRef), ref: parseRef(ref), topic, event, payload };
  const { event: broadcastEvent } = payload;
  if (
    event !== 'broadcast' ||
    typeof broadcastEvent !== 'string' ||
    !isPostgresText(broadcastEvent)
  )
    return frame;
  const body = Buffer.from(JSON.stringify(payload['payload'] ?? {}));
  return { ...frame, broadcast: { event: broadcastEvent, body, isJson: true } };
}

function parseArray(value: unknown): unknown[] {
  if (!Array.isArray(value) || value.length !== 5) {
    throw new FrameError('a frame must be an array of five elements');
  }
  return value;
}

function parseObject(value: unknown): unknown[] {
  if (!isRecord(value)) throw new FrameError('a frame must be an object');
  return [value['join_ref'], value['ref'], value['topic'], value['event'], value['payload']];
}

function parseRef(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== 'string' || value.length > 255)
    throw new FrameError('a ref must be a string of at most 255 characters');
  return value;
}

/** Kinds of binary frames, by the names of realtime-js. */
const [userBroadcastPush, userBroadcast] = [3, 4];
/** Length of the kind, five lengths and the encoding, which start a binary frame of a client. */
const binaryHeaderLength = 7;

function parseBinary(bytes: Buffer): IncomingFrame {
  if (bytes.length < binaryHeaderLength || bytes[0] !== userBroadcastPush) {
    throw new FrameError('a binary frame must be a channel message');
  }
  let offset = binaryHeaderLength;
  const [joinRef = '', ref = '', topic = '', event = '', meta = ''] = [1, 2, 3, 4, 5].map((n) => {
    const end = offset + (bytes[n] ?? 0);
    if (end > bytes.length) throw new FrameError('a binary frame is shorter than its header says');
    const text = decodeUtf8(bytes.subarray(offset, end));
    offset = end;
    return text;
  });
  const encoding = bytes[6];
  if (encoding !== 0 && encoding !== 1) throw new FrameError('the message’s encoding is unknown');
  const body = bytes.subarray(offset);
  if (encoding === 1) parseJson(body);
  // The payload of a binary frame is its metadata. The message is `body`.
  const payload = meta === '' ? {} : parseJson(Buffer.from(meta));
  if (!isRecord(payload)) throw new FrameError('metadata must be an object');
  return {
    joinRef: joinRef === '' ? null : joinRef,
    ref: ref === '' ? null : ref,
    topic,
    event: 'broadcast',
    payload,
    ...(isPostgresText(event) ? { broadcast: { event, body, isJson: encoding === 1 } } : {}),
  };
}

export function parseJson(bytes: Buffer): unknown {
  if (isDeeperThan(bytes, realtimeLimits.maxJsonDepth))
    throw new FrameError('JSON is nested too deeply');
  try {
    return JSON.parse(decodeUtf8(bytes));
  } catch (error) {
    if (error instanceof FrameError) throw error;
    // The parser's message quotes the text.
    throw new FrameError('not JSON');
  }
}

const [quote, backslash] = [0x22, 0x5c];
const openingBrackets = new Set([0x5b, 0x7b]);
const closingBrackets = new Set([0x5d, 0x7d]);

/**
 * Whether JSON is nested deeper than `limit`. Checked before parsing, as deeply nested values might
 * not be serializable again.
 */
function isDeeperThan(json: Uint8Array, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let offset = 0; offset < json.length; offset++) {
    const byte = json[offset] ?? 0;
    if (inString) {
      if (byte === backslash) offset++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (openingBrackets.has(byte)) {
      depth++;
      if (depth > limit) return true;
    } else if (closingBrackets.has(byte)) depth--;
  }
  return false;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new FrameError('not UTF-8');
  }
}

/** Serializes a frame. `payload` is JSON. */
export function formatFrame(
  version: ProtocolVersion,
  { joinRef, ref, topic }: FrameRefs,
  event: string,
  payload: string,
): OutgoingFrame {
  const [joinRefJson, refJson, topicJson, eventJson] = [joinRef, ref, topic, event].map((part) =>
    JSON.stringify(part),
  );
  const text =
    version === '2.0.0'
      ? `[${joinRefJson},${refJson},${topicJson},${eventJson},${payload}]`
      : `{"topic":${topicJson},"event":${eventJson},"payload":${payload},"ref":${refJson}}`;
  return { bytes: Buffer.from(text), isBinary: false };
}

/**
 * Serializes a channel message; undefined when the version cannot represent it: 1.0.0 has no binary
 * messages.
 */
export function formatBroadcast(
  version: ProtocolVersion,
  topic: string,
  { event, body, isJson, meta }: BroadcastMessage,
): OutgoingFrame | undefined {
  if (version === '2.0.0') {
    const texts = [topic, event, meta ?? ''].map((text) => Buffer.from(text));
    const lengths = texts.map((text) => text.length);
    const header = Buffer.from([userBroadcast, ...lengths, isJson ? 1 : 0]);
    return { bytes: Buffer.concat([header, ...texts, body]), isBinary: true };
  }
  if (!isJson) return undefined;
  const metaProperty = meta === undefined ? '' : `,"meta":${meta}`;
  const payload = `{"type":"broadcast","event":${JSON.stringify(event)},"payload":${body.toString()}${metaProperty}}`;
  return formatFrame(version, { joinRef: null, ref: null, topic }, 'broadcast', payload);
}

/**
 * Whether PostgreSQL can store a text: servers exchange messages through the database, and a text
 * that it rejects would block the rest.
 */
export function isPostgresText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
