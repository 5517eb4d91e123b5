import { TokenBucket } from '@vitrine/project';
import type { WebSocket, RawData } from 'ws';
import { describeErrorForLog } from '../log.ts';
import { Channel, JoinError } from './channel.ts';
import type { RealtimeContext } from './channel.ts';
import { formatFrame, FrameError, parseFrame } from './frames.ts';
import type { IncomingFrame, OutgoingFrame, ProtocolVersion } from './frames.ts';
import { TokenError } from './identity.ts';
import type { SocketCredentials } from './identity.ts';
import { parseJoinConfig } from './join-config.ts';
import { realtimeLimits } from './limits.ts';
import { parseTopic } from './topics.ts';

interface ConnectionOptions {
  readonly ctx: RealtimeContext;
  readonly socket: WebSocket;
  readonly version: ProtocolVersion;
  readonly credentials: SocketCredentials;
  onClose(): void;
}

/** Close codes of RFC 6455. */
const [protocolError, policyViolation, internalError] = [1002, 1008, 1011];

/** One WebSocket: its channels by topic, and the dispatch of its frames. */
export class SocketConnection {
  readonly #options: ConnectionOptions;
  /** Channels by topic, from the start of their join. */
  readonly #channels = new Map<string, Channel>();
  readonly #frameLimiter = new TokenBucket(realtimeLimits.frames);
  readonly #joinLimiter = new TokenBucket(realtimeLimits.joins);
  readonly #messageLimiter = new TokenBucket(realtimeLimits.messagesPerSocket);
  #lastMessageAt = performance.now();

  constructor(options: ConnectionOptions) {
    const { ctx, socket } = options;
    this.#options = options;
    socket.on('message', (data, isBinary) => this.#onMessage(data, isBinary));
    // Frames that are too large or not UTF-8: ws has closed the socket with 1009 or 1007.
    socket.on('error', (error) =>
      ctx.log.info('A socket failed.', { reason: describeErrorForLog(error) }),
    );
    socket.on('close', () => {
      for (const channel of this.#channels.values()) channel.leave();
      this.#channels.clear();
      options.onClose();
    });
  }

  /** Terminates the socket when it has been silent for too long. */
  terminateIfIdle(now: number): void {
    if (now - this.#lastMessageAt > realtimeLimits.heartbeatTimeoutMs) this.terminate();
  }

  close(code: number, reason: string): void {
    this.#options.socket.close(code, reason);
  }

  /** Ends the socket without a closing handshake. */
  terminate(): void {
    this.#options.socket.terminate();
  }

  #send({ bytes, isBinary }: OutgoingFrame): void {
    const { socket } = this.#options;
    if (socket.readyState !== socket.OPEN) return;
    // Without a limit, messages for a client that does not read would accumulate.
    if (socket.bufferedAmount > realtimeLimits.maxBufferedBytes) return socket.terminate();
    socket.send(bytes, { binary: isBinary });
  }

  #reply(frame: IncomingFrame, status: 'ok' | 'error', response: object = {}): void {
    this.#send(
      formatFrame(this.#options.version, frame, 'phx_reply', JSON.stringify({ status, response })),
    );
  }

  async #dispatch(frame: IncomingFrame): Promise<void> {
    if (frame.topic === 'phoenix' && frame.event === 'heartbeat') return this.#reply(frame, 'ok');
    if (frame.event === 'phx_join') return await this.#join(frame);
    const channel = this.#channels.get(frame.topic);
    if (frame.event === 'phx_leave') return this.#leave(frame, channel);
    if (!channel?.isJoined()) return this.#reply(frame, 'error', { reason: 'unmatched topic' });
    // A frame of an earlier join: nobody waits for a reply.
    if (frame.joinRef !== null && frame.joinRef !== channel.joinRef) return;
    await channel.handle(frame);
  }

  #leave(frame: IncomingFrame, channel: Channel | undefined): void {
    channel?.leave();
    this.#channels.delete(frame.topic);
    this.#reply(frame, 'ok');
    if (channel) this.#pushClose(frame.topic, channel);
  }

  #pushClose(topic: string, { joinRef }: Channel): void {
    this.#send(
      formatFrame(this.#options.version, { joinRef, ref: joinRef, topic }, 'phx_close', '{}'),
    );
  }

  async #join(frame: IncomingFrame): Promise<void> {
    try {
      const channel = this.#registerChannel(frame);
      try {
        await channel.join(frame);
      } catch (error) {
        channel.leave();
        if (this.#channels.get(frame.topic) === channel) this.#channels.delete(frame.topic);
        throw error;
      }
    } catch (error) {
      // `parseJoinConfig` throws a RangeError for unsupported options.
      const isRejection =
        error instanceof JoinError || error instanceof TokenError || error instanceof RangeError;
      if (!isRejection) {
        this.#options.ctx.log.error('A join failed.', { reason: describeErrorForLog(error) });
      }
      const reason = isRejection ? error.message : 'Unknown Error on Channel';
      this.#reply(frame, 'error', { reason });
    }
  }

  /**
   * Creates and registers the channel of a join, before the join completes, so that frames that
   * arrive meanwhile find it.
   */
  #registerChannel(frame: IncomingFrame): Channel {
    const { topic, joinRef } = frame;
    const name = parseTopic(topic);
    if (name === undefined) throw new JoinError('TopicNameInvalid: Invalid channel name');
    if (!this.#joinLimiter.tryConsume())
      throw new JoinError('ClientJoinRateLimitReached: Too many joins per second');
    const existing = this.#channels.get(topic);
    if (!existing && this.#channels.size >= realtimeLimits.maxChannelsPerSocket) {
      throw new JoinError('ChannelRateLimitReached: Too many channels');
    }
    const joinConfig = parseJoinConfig(frame.payload);
    if (existing) {
      existing.leave();
      this.#pushClose(topic, existing);
    }
    const onEnd = (ended: Channel) => {
      if (this.#channels.get(topic) === ended) this.#channels.delete(topic);
    };
    const { ctx, credentials, version } = this.#options;
    const channel = new Channel({
      ctx,
      credentials,
      version,
      topic,
      name,
      joinRef,
      joinConfig,
      messageLimiter: this.#messageLimiter,
      send: (outgoing) => this.#send(outgoing),
      onEnd,
    });
    this.#channels.set(topic, channel);
    return channel;
  }

  #onMessage(data: RawData, isBinary: boolean): void {
    this.#lastMessageAt = performance.now();
    if (!this.#frameLimiter.tryConsume()) return this.close(policyViolation, 'Too many frames');
    try {
      this.#dispatch(parseFrame(this.#options.version, toBuffer(data), isBinary)).catch(
        (error: unknown) => this.#closeOnError(error),
      );
    } catch (error) {
      if (error instanceof FrameError) this.close(protocolError, error.message);
      else this.#closeOnError(error);
    }
  }

  #closeOnError(error: unknown): void {
    this.#options.ctx.log.error('Couldn’t handle a frame.', { reason: describeErrorForLog(error) });
    this.close(internalError, 'Unexpected');
  }
}

function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
