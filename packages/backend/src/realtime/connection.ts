import { TokenBucket } from '@vitrine/project';
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
import { parseTopic } from './topics.ts';

/** One WebSocket: its channels by topic, and the dispatch of its frames. */
export interface SocketConnection {
  /** Terminates the socket when it has been silent for too long. */
  terminateIfIdle(now: number): void;
  close(code: number, reason: string): void;
  /** Ends the socket without a closing handshake. */
  terminate(): void;
}

export interface ConnectionOptions {
  readonly ctx: RealtimeContext;
  readonly socket: WebSocket;
  readonly version: ProtocolVersion;
  readonly credentials: SocketCredentials;
  onClose(): void;
}

/** Close codes of RFC 6455. */
const [protocolError, policyViolation, internalError] = [1002, 1008, 1011];

export function openConnection(options: ConnectionOptions): SocketConnection {
  const { ctx, socket, version, credentials } = options;
  const channels = new Map<string, Channel>();
  const frameLimiter = new TokenBucket(realtimeLimits.frames);
  const joinLimiter = new TokenBucket(realtimeLimits.joins);
  const messageLimiter = new TokenBucket(realtimeLimits.messagesPerSocket);
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
      const channel = registerChannel(frame);
      try {
        await channel.join(frame);
      } catch (error) {
        channel.leave();
        if (channels.get(frame.topic) === channel) channels.delete(frame.topic);
        throw error;
      }
    } catch (error) {
      // `parseJoinConfig` throws a RangeError for unsupported options.
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
   * Creates and registers the channel of a join, before the join completes, so that frames that
   * arrive meanwhile find it.
   */
  function registerChannel(frame: IncomingFrame): Channel {
    const { topic, joinRef } = frame;
    const name = parseTopic(topic);
    if (name === undefined) throw new JoinError('TopicNameInvalid: Invalid channel name');
    if (!joinLimiter.tryConsume())
      throw new JoinError('ClientJoinRateLimitReached: Too many joins per second');
    const existing = channels.get(topic);
    if (!existing && channels.size >= realtimeLimits.maxChannelsPerSocket) {
      throw new JoinError('ChannelRateLimitReached: Too many channels');
    }
    const joinConfig = parseJoinConfig(frame.payload);
    if (existing) {
      existing.leave();
      pushClose(topic, existing);
    }
    const onEnd = (ended: Channel) => {
      if (channels.get(topic) === ended) channels.delete(topic);
    };
    const channel = createChannel({
      ctx,
      credentials,
      version,
      topic,
      name,
      joinRef,
      joinConfig,
      messageLimiter,
      send,
      onEnd,
    });
    channels.set(topic, channel);
    return channel;
  }

  function onMessage(data: RawData, isBinary: boolean): void {
    lastMessageAt = performance.now();
    if (!frameLimiter.tryConsume()) return socket.close(policyViolation, 'Too many frames');
    try {
      dispatch(parseFrame(version, toBuffer(data), isBinary)).catch(closeOnError);
    } catch (error) {
      if (error instanceof FrameError) socket.close(protocolError, error.message);
      else closeOnError(error);
    }
  }

  function closeOnError(error: unknown): void {
    ctx.log.error('Couldn’t handle a frame.', { reason: describeErrorForLog(error) });
    socket.close(internalError, 'Unexpected');
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
    terminateIfIdle(now) {
      if (now - lastMessageAt > realtimeLimits.heartbeatTimeoutMs) socket.terminate();
    },
    close: (code, reason) => socket.close(code, reason),
    terminate: () => socket.terminate(),
  };
}

function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
