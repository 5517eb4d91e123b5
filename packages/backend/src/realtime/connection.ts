import type { WebSocket, RawData } from 'ws';
import { describeErrorForLog } from '../log.ts';
import { createChannel, JoinError } from './channel.ts';
import type { Channel, RealtimeContext } from './channel.ts';
import { formatFrame, FrameError, parseFrame } from './frames.ts';
import type { IncomingFrame, OutgoingFrame, ProtocolVersion } from './frames.ts';
import { TokenError } from './identity.ts';
import type { SocketCredentials } from './identity.ts';
import { parseJoinConfig } from './join-config.ts';
import { realtimeLimits } from './limits.ts';
import { createTokenBucket } from './token-bucket.ts';
import { parseTopic } from './topics.ts';

/** One WebSocket: its channels by topic, and the dispatch of its frames. */
export interface SocketConnection {
  /** Ends the socket when it has been silent for too long. */
  sweep(now: number): void;
  close(code: number, reason: string): void;
  /** Ends the socket without a closing handshake. */
  end(): void;
}

export interface ConnectionOptions {
  readonly ctx: RealtimeContext;
  readonly socket: WebSocket;
  readonly version: ProtocolVersion;
  readonly opener: SocketCredentials;
  onClose(): void;
}

/** Close codes of RFC 6455: protocol error and policy violation. */
const [protocolError, policyViolation] = [1002, 1008];

export function openConnection(options: ConnectionOptions): SocketConnection {
  const { ctx, socket, version, opener } = options;
  const channels = new Map<string, Channel>();
  const frames = createTokenBucket(realtimeLimits.frames);
  const joins = createTokenBucket(realtimeLimits.joins);
  const messages = createTokenBucket(realtimeLimits.messagesPerSocket);
  let lastMessageAt = performance.now();

  function send({ bytes, isBinary }: OutgoingFrame): void {
    if (socket.readyState !== socket.OPEN) return;
    // Without a limit, messages for a client that does not read would accumulate.
    if (socket.bufferedAmount > realtimeLimits.maxBufferedBytes) return socket.terminate();
    socket.send(bytes, { binary: isBinary });
  }

  function reply(frame: IncomingFrame, status: 'ok' | 'error', response: object = {}): void {
    send(formatFrame(version, frame, 'phx_reply', JSON.stringify({ status, response })));
  }

  async function dispatch(frame: IncomingFrame): Promise<void> {
    if (frame.topic === 'phoenix' && frame.event === 'heartbeat') return reply(frame, 'ok');
    if (frame.event === 'phx_join') return await join(frame);
    const channel = channels.get(frame.topic);
    if (frame.event === 'phx_leave') return leave(frame, channel);
    if (!channel?.isJoined()) return reply(frame, 'error', { reason: 'unmatched topic' });
    // A frame of an earlier join: nobody waits for a reply.
    if (frame.joinRef !== null && frame.joinRef !== channel.joinRef) return;
    await channel.handle(frame);
  }

  function leave(frame: IncomingFrame, channel: Channel | undefined): void {
    channel?.leave();
    channels.delete(frame.topic);
    reply(frame, 'ok');
    if (channel) pushClose(frame.topic, channel);
  }

  function pushClose(topic: string, { joinRef }: Channel): void {
    send(formatFrame(version, { joinRef, ref: joinRef, topic }, 'phx_close', '{}'));
  }

  async function join(frame: IncomingFrame): Promise<void> {
    try {
      const channel = openChannel(frame);
      try {
        await channel.join(frame);
      } catch (error) {
        channel.leave();
        if (channels.get(frame.topic) === channel) channels.delete(frame.topic);
        throw error;
      }
    } catch (error) {
      const isRejection =
        error instanceof JoinError || error instanceof TokenError || error instanceof RangeError;
      if (!isRejection) {
        ctx.log.error('A join failed.', { reason: describeErrorForLog(error) });
      }
      const reason = isRejection ? error.message : 'Unknown Error on Channel';
      reply(frame, 'error', { reason });
    }
  }

  /**
   * Creates the channel of a join. It is registered before the join completes, so that frames that
   * arrive meanwhile find it.
   */
  function openChannel(frame: IncomingFrame): Channel {
    const { topic, joinRef } = frame;
    const name = parseTopic(topic);
    if (name === undefined) throw new JoinError('TopicNameInvalid: Invalid channel name');
    if (!joins.takeToken())
      throw new JoinError('ClientJoinRateLimitReached: Too many joins per second');
    const earlier = channels.get(topic);
    if (!earlier && channels.size >= realtimeLimits.maxChannelsPerSocket) {
      throw new JoinError('ChannelRateLimitReached: Too many channels');
    }
    const request = parseJoinConfig(frame.payload);
    if (earlier) {
      earlier.leave();
      pushClose(topic, earlier);
    }
    const onEnd = (ended: Channel) => {
      if (channels.get(topic) === ended) channels.delete(topic);
    };
    const channel = createChannel({
      ctx,
      opener,
      version,
      topic,
      name,
      joinRef,
      request,
      messages,
      send,
      onEnd,
    });
    channels.set(topic, channel);
    return channel;
  }

  function onMessage(data: RawData, isBinary: boolean): void {
    lastMessageAt = performance.now();
    if (!frames.takeToken()) return socket.close(policyViolation, 'Too many frames');
    try {
      dispatch(parseFrame(version, toBuffer(data), isBinary)).catch(closeOnError);
    } catch (error) {
      if (error instanceof FrameError) socket.close(protocolError, error.message);
      else closeOnError(error);
    }
  }

  function closeOnError(error: unknown): void {
    ctx.log.error('Couldn’t handle a frame.', { reason: describeErrorForLog(error) });
    socket.close(1011, 'Unexpected');
  }

  socket.on('message', onMessage);
  // Frames that are too large or not UTF-8: ws has closed the socket with 1009 or 1007.
  socket.on('error', (error) =>
    ctx.log.info('A socket failed.', { reason: describeErrorForLog(error) }),
  );
  socket.on('close', () => {
    for (const channel of channels.values()) channel.leave();
    channels.clear();
    options.onClose();
  });

  return {
    sweep(now) {
      if (now - lastMessageAt > realtimeLimits.heartbeatTimeoutMs) socket.terminate();
    },
    close: (code, reason) => socket.close(code, reason),
    end: () => socket.terminate(),
  };
}

function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
