import { TokenBucket } from '@vitrine/project';
import { describeErrorForLog } from '../log.ts';
import type { Log } from '../log.ts';
import { isConnectionError } from '../postgres/connection-errors.ts';
import type { TokenKeys } from '../auth/keys.ts';
import type { AccountLimits } from './account-limits.ts';
import { formatFrame } from './frames.ts';
import type { IncomingFrame, OutgoingFrame, ProtocolVersion } from './frames.ts';
import { identifyToken, TokenError } from './identity.ts';
import type { SocketIdentity, SocketCredentials } from './identity.ts';
import type { ChannelJoinConfig } from './join-config.ts';
import { realtimeLimits } from './limits.ts';
import { allPermissions } from './permissions.ts';
import type { ChannelPermissions, PermissionLookup } from './permissions.ts';
import type { ChannelMember, Rooms } from './rooms.ts';
import type { RowChangeSubscriptions } from './row-changes.ts';

/** Dependencies of every socket. */
export interface RealtimeContext {
  readonly keys: Pick<TokenKeys, 'verify'>;
  readonly permissionLookup: PermissionLookup;
  readonly rooms: Rooms;
  readonly rowChanges: RowChangeSubscriptions;
  readonly accounts: AccountLimits;
  /** Whether channels without a policy may be joined. */
  readonly hasPublicChannels: boolean;
  readonly log: Log;
}

/** The membership of one socket in one channel, from its join to its end. */
export interface Channel extends ChannelMember {
  readonly joinRef: string | null;
  /** Checks everything that the join requires, then replies to it. Throws a JoinError. */
  join(frame: IncomingFrame): Promise<void>;
  isJoined(): boolean;
  handle(frame: IncomingFrame): Promise<void>;
  /** Leaves the channel without sending anything. */
  leave(): void;
}

/** A rejected join; the message is sent to the client. */
export class JoinError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'JoinError';
  }
}

export interface ChannelOptions {
  readonly ctx: RealtimeContext;
  readonly credentials: SocketCredentials;
  readonly version: ProtocolVersion;
  readonly topic: string;
  readonly name: string;
  readonly joinRef: string | null;
  readonly joinConfig: ChannelJoinConfig;
  /** Message limit of the socket, shared by its channels. */
  readonly messageLimiter: TokenBucket;
  send(outgoing: OutgoingFrame): void;
  /** Called when the server ends the channel. */
  onEnd(channel: Channel): void;
}

let lastInterestId = 0;

export function createChannel(options: ChannelOptions): Channel {
  const { ctx, credentials, version, topic, name, joinRef, joinConfig } = options;
  const { isPrivate } = joinConfig;
  const presenceLimiter = new TokenBucket(realtimeLimits.presences);
  const presenceKey = joinConfig.presenceKey || crypto.randomUUID();
  let state: 'joining' | 'joined' | 'left' = 'joining';
  let token = joinConfig.token;
  let trackedPayload: string | undefined;
  /** Set by the join. */
  let identity: SocketIdentity | undefined;

  const push = (event: string, payload: object, ref: string | null = null) =>
    options.send(formatFrame(version, { joinRef, ref, topic }, event, JSON.stringify(payload)));
  const reply = ({ ref }: IncomingFrame, status: 'ok' | 'error', response: object = {}) =>
    push('phx_reply', { status, response }, ref);
  const pushSystem = (extension: string, status: 'ok' | 'error', message: string) =>
    push('system', { extension, status, message, channel: name });

  async function lookUpPermissions(nextIdentity: SocketIdentity): Promise<ChannelPermissions> {
    if (!isPrivate) return allPermissions;
    try {
      return await ctx.permissionLookup.find(nextIdentity, name);
    } catch (error) {
      if (!isConnectionError(error)) {
        ctx.log.error('Couldn’t read channel permissions.', {
          reason: describeErrorForLog(error),
        });
      }
      throw new JoinError('UnableToConnectToProject: The database cannot be reached');
    }
  }

  async function join(frame: IncomingFrame): Promise<void> {
    if (!isPrivate && !ctx.hasPublicChannels) {
      throw new JoinError('PrivateOnly: This project only allows private channels');
    }
    const nextIdentity = await identifyToken(ctx.keys, credentials, token);
    assertOwnPresenceKey(nextIdentity);
    const permissions = await lookUpPermissions(nextIdentity);
    if (!permissions.readBroadcasts && !permissions.readPresence)
      throw new JoinError(`Unauthorized: ${describeMissingPermission('read from')}`);
    const problems = await Promise.all(
      joinConfig.subscriptions.map((interest) => ctx.rowChanges.validate(nextIdentity, interest)),
    );
    const problem = problems.find((text) => text !== undefined);
    if (problem !== undefined && joinConfig.waitsForSubscriptions)
      throw new JoinError(createSubscriptionError(problem));
    if (hasLeft()) return;
    if (!ctx.accounts.acquireChannel(nextIdentity.account, joinConfig.subscriptions.length)) {
      throw new JoinError('ChannelRateLimitReached: Too many channels');
    }
    identity = nextIdentity;
    channel.identity = nextIdentity;
    channel.permissions = permissions;
    state = 'joined';
    const ids = joinConfig.subscriptions.map(() => (lastInterestId += 1));
    reply(frame, 'ok', {
      postgres_changes: joinConfig.subscriptions.map(({ config }, number) => ({
        ...config,
        id: ids[number],
      })),
    });
    ctx.rooms.enter(channel);
    joinConfig.subscriptions.forEach((interest, number) => {
      if (problems[number] === undefined) ctx.rowChanges.add(channel, ids[number] ?? 0, interest);
    });
    pushInitialState(problem);
  }

  /**
   * Rejects a presence key that is the id of another account: in a private channel it identifies a
   * user.
   */
  function assertOwnPresenceKey({ role, account }: SocketIdentity): void {
    const { presenceKey: key } = joinConfig;
    if (!isPrivate || role === 'service_role' || !isUuid(key)) return;
    if (key.toLowerCase() === account) return;
    throw new JoinError('InvalidJoinPayload: The presence key is the ID of another user');
  }

  /** Sends the messages that follow the reply to the join. */
  function pushInitialState(problem: string | undefined): void {
    if (joinConfig.receivesPresence) pushPresenceState();
    if (joinConfig.wantsReplicationReady)
      pushSystem('system', 'ok', 'Replication connection established');
    if (joinConfig.subscriptions.length === 0) return;
    if (problem === undefined) pushSystem('postgres_changes', 'ok', 'Subscribed to PostgreSQL');
    else pushSystem('postgres_changes', 'error', createSubscriptionError(problem));
  }

  function pushPresenceState(): void {
    const presence = ctx.rooms.findPresence(channel);
    if (!presence || !channel.permissions.readPresence) return;
    options.send(
      formatFrame(version, { joinRef, ref: null, topic }, 'presence_state', presence.formatState()),
    );
  }

  function handleBroadcast(frame: IncomingFrame): void {
    const { broadcast } = frame;
    if (!broadcast) return reply(frame, 'error', { reason: 'A message needs an event' });
    if (frame.payload['persist']) {
      return reply(frame, 'error', { error: 'Storing messages is not supported' });
    }
    if (
      broadcast.body.length > realtimeLimits.maxMessageBytes ||
      Buffer.byteLength(broadcast.event) > 255
    ) {
      return reply(frame, 'error', { reason: 'payload_size_exceeded' });
    }
    if (!channel.permissions.writeBroadcasts)
      return reply(frame, 'error', { reason: describeMissingPermission('write to') });
    if (
      !options.messageLimiter.tryConsume() ||
      !ctx.accounts.consumeMessage(channel.identity.account)
    ) {
      return channel.end('Too many messages per second');
    }
    if (!ctx.rooms.consumeMessage(channel)) {
      return reply(frame, 'error', { reason: 'Too many messages per second in this channel' });
    }
    ctx.rooms.send(channel, broadcast, joinConfig.receivesOwnMessages ? undefined : channel);
    if (joinConfig.wantsAcknowledgments) reply(frame, 'ok');
  }

  function handlePresence(frame: IncomingFrame): void {
    const event = String(frame.payload['event']).toLowerCase();
    if (!presenceLimiter.tryConsume()) return channel.end('Client presence rate limit exceeded');
    if (event === 'untrack') {
      ctx.rooms.findPresence(channel)?.untrack(channel);
      trackedPayload = undefined;
      return reply(frame, 'ok');
    }
    if (event !== 'track') return reply(frame, 'error', { reason: 'unknown_presence_event' });
    if (!channel.permissions.writePresence)
      return reply(frame, 'error', { reason: describeMissingPermission('write to') });
    track(frame);
  }

  function track(frame: IncomingFrame): void {
    const payload = frame.payload['payload'] ?? {};
    if (typeof payload !== 'object' || Array.isArray(payload)) {
      return reply(frame, 'error', { reason: 'Presence track payload must be a map' });
    }
    const text = JSON.stringify(payload);
    if (Buffer.byteLength(text) > realtimeLimits.maxPresenceBytes) {
      return channel.end('Track message size exceeded');
    }
    if (text !== trackedPayload) {
      const presence = ctx.rooms.findPresence(channel);
      if (!presence?.track(channel, presenceKey, { ...payload })) {
        return reply(frame, 'error', { reason: 'Too many presences in this channel' });
      }
      trackedPayload = text;
    }
    if (!channel.receivesPresence) {
      channel.receivesPresence = true;
      pushPresenceState();
    }
    reply(frame, 'ok');
  }

  /**
   * Handles `access_token`: the next token of the same user, or one of another user. Permissions
   * are refreshed in both cases.
   */
  async function handleAccessToken(next: unknown): Promise<void> {
    if (typeof next !== 'string' || next.startsWith('sb_') || next === token) return;
    token = next;
    try {
      const nextIdentity = await identifyToken(ctx.keys, credentials, next);
      assertOwnPresenceKey(nextIdentity);
      const permissions = await lookUpPermissions(nextIdentity);
      if (token !== next || hasLeft()) return; // A newer token was received meanwhile.
      switchAccount(nextIdentity);
      channel.updatePermissions(permissions);
    } catch (error) {
      if (!(error instanceof TokenError || error instanceof JoinError)) throw error;
      if (token === next) channel.end(error.message);
    }
  }

  /** Moves the channel from one account's limits to another's. */
  function switchAccount(nextIdentity: SocketIdentity): void {
    if (nextIdentity.account !== channel.identity.account) {
      if (!ctx.accounts.acquireChannel(nextIdentity.account, joinConfig.subscriptions.length))
        throw new JoinError('Too many channels');
      ctx.accounts.releaseChannel(channel.identity.account, joinConfig.subscriptions.length);
    }
    identity = nextIdentity;
    channel.identity = nextIdentity;
  }

  function hasLeft(): boolean {
    return state === 'left';
  }

  function describeMissingPermission(doWhat: string): string {
    return `You do not have permissions to ${doWhat} this Channel topic: ${name}`;
  }

  function leave(): void {
    if (hasLeft()) return;
    state = 'left';
    ctx.rooms.leave(channel);
    ctx.rowChanges.removeAll(channel);
    if (identity) ctx.accounts.releaseChannel(identity.account, joinConfig.subscriptions.length);
  }

  const channel: Channel & { identity: SocketIdentity } = {
    name,
    isPrivate,
    version,
    joinRef,
    // Placeholder until the join has identified the user.
    identity: { role: 'anon', claims: '{}', account: '', expiresAt: undefined },
    permissions: {
      readBroadcasts: false,
      writeBroadcasts: false,
      readPresence: false,
      writePresence: false,
    },
    receivesPresence: joinConfig.receivesPresence,
    send: (outgoing) => options.send(outgoing),
    isJoined: () => state === 'joined',
    join,
    async handle(frame) {
      if (frame.event === 'broadcast') handleBroadcast(frame);
      else if (frame.event === 'presence') handlePresence(frame);
      else if (frame.event === 'access_token')
        await handleAccessToken(frame.payload['access_token']);
      else reply(frame, 'error', { reason: 'unknown event' });
    },
    updatePermissions(permissions) {
      const lost =
        (channel.permissions.readBroadcasts && !permissions.readBroadcasts) ||
        (channel.permissions.readPresence && !permissions.readPresence);
      channel.permissions = permissions;
      if (lost) {
        channel.end(`You no longer have permission to read from this Channel topic: ${name}`);
      } else if (!permissions.writePresence) ctx.rooms.findPresence(channel)?.untrack(channel);
    },
    end(reason) {
      if (hasLeft()) return;
      leave();
      pushSystem('system', 'error', reason);
      push('phx_close', {}, joinRef);
      options.onEnd(channel);
    },
    leave,
  };
  return channel;
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

function createSubscriptionError(problem: string): string {
  return `Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: ${problem}`;
}
