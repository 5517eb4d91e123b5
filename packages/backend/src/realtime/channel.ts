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

/** A rejected join; the message is sent to the client. */
export class JoinError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'JoinError';
  }
}

interface ChannelOptions {
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

/** The membership of one socket in one channel, from its join to its end. */
export class Channel implements ChannelMember {
  readonly name: string;
  readonly isPrivate: boolean;
  readonly version: ProtocolVersion;
  readonly joinRef: string | null;
  // Placeholder until the join has identified the user.
  identity: SocketIdentity = { role: 'anon', claims: '{}', account: '', expiresAt: undefined };
  permissions: ChannelPermissions = {
    readBroadcasts: false,
    writeBroadcasts: false,
    readPresence: false,
    writePresence: false,
  };
  receivesPresence: boolean;
  readonly #options: ChannelOptions;
  readonly #ctx: RealtimeContext;
  readonly #joinConfig: ChannelJoinConfig;
  readonly #presenceLimiter = new TokenBucket(realtimeLimits.presences);
  readonly #presenceKey: string;
  #state: 'joining' | 'joined' | 'left' = 'joining';
  #token: ChannelJoinConfig['token'];
  /** The payload that is shown to others, as JSON. */
  #trackedPayload: string | undefined;
  /** The account whose limits count this channel. Set by the join. */
  #account: string | undefined;

  constructor(options: ChannelOptions) {
    const { ctx, joinConfig } = options;
    this.#options = options;
    this.#ctx = ctx;
    this.#joinConfig = joinConfig;
    this.#presenceKey = joinConfig.presenceKey || crypto.randomUUID();
    this.#token = joinConfig.token;
    this.name = options.name;
    this.isPrivate = joinConfig.isPrivate;
    this.version = options.version;
    this.joinRef = options.joinRef;
    this.receivesPresence = joinConfig.receivesPresence;
  }

  isJoined(): boolean {
    return this.#state === 'joined';
  }

  send(outgoing: OutgoingFrame): void {
    this.#options.send(outgoing);
  }

  /** Checks everything that the join requires, then replies to it. Throws a JoinError. */
  async join(frame: IncomingFrame): Promise<void> {
    const { rowChanges, accounts, rooms } = this.#ctx;
    const { subscriptions } = this.#joinConfig;
    if (!this.isPrivate && !this.#ctx.hasPublicChannels) {
      throw new JoinError('PrivateOnly: This project only allows private channels');
    }
    const identity = await identifyToken(this.#ctx.keys, this.#options.credentials, this.#token);
    this.#assertOwnPresenceKey(identity);
    const permissions = await this.#lookUpPermissions(identity);
    if (!permissions.readBroadcasts && !permissions.readPresence)
      throw new JoinError(`Unauthorized: ${this.#describeMissingPermission('read from')}`);
    const problems = await Promise.all(
      subscriptions.map((interest) => rowChanges.validate(identity, interest)),
    );
    const problem = problems.find((text) => text !== undefined);
    if (problem !== undefined && this.#joinConfig.waitsForSubscriptions)
      throw new JoinError(createSubscriptionError(problem));
    if (this.#hasLeft()) return;
    if (!accounts.acquireChannel(identity.account, subscriptions.length)) {
      throw new JoinError('ChannelRateLimitReached: Too many channels');
    }
    this.#account = identity.account;
    this.identity = identity;
    this.permissions = permissions;
    this.#state = 'joined';
    const ids = subscriptions.map(() => (lastInterestId += 1));
    this.#reply(frame, 'ok', {
      postgres_changes: subscriptions.map(({ config }, number) => ({ ...config, id: ids[number] })),
    });
    rooms.enter(this);
    subscriptions.forEach((interest, number) => {
      if (problems[number] === undefined) rowChanges.add(this, ids[number] ?? 0, interest);
    });
    this.#pushInitialState(problem);
  }

  async handle(frame: IncomingFrame): Promise<void> {
    if (frame.event === 'broadcast') this.#handleBroadcast(frame);
    else if (frame.event === 'presence') this.#handlePresence(frame);
    else if (frame.event === 'access_token')
      await this.#handleAccessToken(frame.payload['access_token']);
    else this.#reply(frame, 'error', { reason: 'unknown event' });
  }

  updatePermissions(permissions: ChannelPermissions): void {
    const lost =
      (this.permissions.readBroadcasts && !permissions.readBroadcasts) ||
      (this.permissions.readPresence && !permissions.readPresence);
    this.permissions = permissions;
    if (lost) {
      this.end(`You no longer have permission to read from this Channel topic: ${this.name}`);
    } else if (!permissions.writePresence) this.#ctx.rooms.findPresence(this)?.untrack(this);
  }

  end(reason: string): void {
    if (this.#hasLeft()) return;
    this.leave();
    this.#pushSystem('system', 'error', reason);
    this.#push('phx_close', {}, this.joinRef);
    this.#options.onEnd(this);
  }

  /** Leaves the channel without sending anything. */
  leave(): void {
    if (this.#hasLeft()) return;
    this.#state = 'left';
    this.#ctx.rooms.leave(this);
    this.#ctx.rowChanges.removeAll(this);
    if (this.#account !== undefined)
      this.#ctx.accounts.releaseChannel(this.#account, this.#joinConfig.subscriptions.length);
  }

  #hasLeft(): boolean {
    return this.#state === 'left';
  }

  #push(event: string, payload: object, ref: string | null = null): void {
    this.#pushText(event, JSON.stringify(payload), ref);
  }

  /** Pushes a payload that is JSON already. */
  #pushText(event: string, payload: string, ref: string | null = null): void {
    const refs = { joinRef: this.joinRef, ref, topic: this.#options.topic };
    this.send(formatFrame(this.version, refs, event, payload));
  }

  #reply({ ref }: IncomingFrame, status: 'ok' | 'error', response: object = {}): void {
    this.#push('phx_reply', { status, response }, ref);
  }

  #pushSystem(extension: string, status: 'ok' | 'error', message: string): void {
    this.#push('system', { extension, status, message, channel: this.name });
  }

  /** Sends the messages that follow the reply to the join. */
  #pushInitialState(problem: string | undefined): void {
    const { receivesPresence, wantsReplicationReady, subscriptions } = this.#joinConfig;
    if (receivesPresence) this.#pushPresenceState();
    if (wantsReplicationReady)
      this.#pushSystem('system', 'ok', 'Replication connection established');
    if (subscriptions.length === 0) return;
    if (problem === undefined)
      this.#pushSystem('postgres_changes', 'ok', 'Subscribed to PostgreSQL');
    else this.#pushSystem('postgres_changes', 'error', createSubscriptionError(problem));
  }

  #pushPresenceState(): void {
    const presence = this.#ctx.rooms.findPresence(this);
    if (!presence || !this.permissions.readPresence) return;
    this.#pushText('presence_state', presence.formatState());
  }

  async #lookUpPermissions(identity: SocketIdentity): Promise<ChannelPermissions> {
    if (!this.isPrivate) return allPermissions;
    try {
      return await this.#ctx.permissionLookup.find(identity, this.name);
    } catch (error) {
      if (!isConnectionError(error)) {
        this.#ctx.log.error('Couldn’t read channel permissions.', {
          reason: describeErrorForLog(error),
        });
      }
      throw new JoinError('UnableToConnectToProject: The database cannot be reached');
    }
  }

  /**
   * Rejects a presence key that is the id of another account: in a private channel it identifies a
   * user.
   */
  #assertOwnPresenceKey({ role, account }: SocketIdentity): void {
    const { presenceKey: key } = this.#joinConfig;
    if (!this.isPrivate || role === 'service_role' || !isUuid(key)) return;
    if (key.toLowerCase() === account) return;
    throw new JoinError('InvalidJoinPayload: The presence key is the ID of another user');
  }

  #describeMissingPermission(doWhat: string): string {
    return `You do not have permissions to ${doWhat} this Channel topic: ${this.name}`;
  }

  #handleBroadcast(frame: IncomingFrame): void {
    const { broadcast } = frame;
    if (!broadcast) return this.#reply(frame, 'error', { reason: 'A message needs an event' });
    if (frame.payload['persist']) {
      return this.#reply(frame, 'error', { error: 'Storing messages is not supported' });
    }
    if (
      broadcast.body.length > realtimeLimits.maxMessageBytes ||
      Buffer.byteLength(broadcast.event) > 255
    ) {
      return this.#reply(frame, 'error', { reason: 'payload_size_exceeded' });
    }
    if (!this.permissions.writeBroadcasts) return this.#rejectWrite(frame);
    const { accounts, rooms } = this.#ctx;
    if (
      !this.#options.messageLimiter.tryConsume() ||
      !accounts.consumeMessage(this.identity.account)
    ) {
      return this.end('Too many messages per second');
    }
    if (!rooms.consumeMessage(this)) {
      const reason = 'Too many messages per second in this channel';
      return this.#reply(frame, 'error', { reason });
    }
    rooms.send(this, broadcast, this.#joinConfig.receivesOwnMessages ? undefined : this);
    if (this.#joinConfig.wantsAcknowledgments) this.#reply(frame, 'ok');
  }

  #rejectWrite(frame: IncomingFrame): void {
    this.#reply(frame, 'error', { reason: this.#describeMissingPermission('write to') });
  }

  #handlePresence(frame: IncomingFrame): void {
    const event = String(frame.payload['event']).toLowerCase();
    if (!this.#presenceLimiter.tryConsume()) return this.end('Client presence rate limit exceeded');
    if (event === 'untrack') {
      this.#ctx.rooms.findPresence(this)?.untrack(this);
      this.#trackedPayload = undefined;
      return this.#reply(frame, 'ok');
    }
    if (event !== 'track') return this.#reply(frame, 'error', { reason: 'unknown_presence_event' });
    if (!this.permissions.writePresence) return this.#rejectWrite(frame);
    this.#track(frame);
  }

  #track(frame: IncomingFrame): void {
    const payload = frame.payload['payload'] ?? {};
    if (typeof payload !== 'object' || Array.isArray(payload)) {
      return this.#reply(frame, 'error', { reason: 'Presence track payload must be a map' });
    }
    const text = JSON.stringify(payload);
    if (Buffer.byteLength(text) > realtimeLimits.maxPresenceBytes) {
      return this.end('Track message size exceeded');
    }
    if (text !== this.#trackedPayload) {
      const presence = this.#ctx.rooms.findPresence(this);
      if (!presence?.track(this, this.#presenceKey, { ...payload })) {
        return this.#reply(frame, 'error', { reason: 'Too many presences in this channel' });
      }
      this.#trackedPayload = text;
    }
    if (!this.receivesPresence) {
      this.receivesPresence = true;
      this.#pushPresenceState();
    }
    this.#reply(frame, 'ok');
  }

  /**
   * Handles `access_token`: the next token of the same user, or one of another user. Permissions
   * are refreshed in both cases.
   */
  async #handleAccessToken(next: unknown): Promise<void> {
    if (typeof next !== 'string' || next.startsWith('sb_') || next === this.#token) return;
    this.#token = next;
    try {
      const identity = await identifyToken(this.#ctx.keys, this.#options.credentials, next);
      this.#assertOwnPresenceKey(identity);
      const permissions = await this.#lookUpPermissions(identity);
      if (this.#token !== next || this.#hasLeft()) return; // A newer token was received meanwhile.
      this.#switchAccount(identity);
      this.updatePermissions(permissions);
    } catch (error) {
      if (!(error instanceof TokenError || error instanceof JoinError)) throw error;
      if (this.#token === next) this.end(error.message);
    }
  }

  /** Moves the channel from one account's limits to another's. */
  #switchAccount(identity: SocketIdentity): void {
    const { accounts } = this.#ctx;
    const count = this.#joinConfig.subscriptions.length;
    if (identity.account !== this.identity.account) {
      if (!accounts.acquireChannel(identity.account, count))
        throw new JoinError('Too many channels');
      accounts.releaseChannel(this.identity.account, count);
    }
    this.#account = identity.account;
    this.identity = identity;
  }
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

function createSubscriptionError(problem: string): string {
  return `Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: ${problem}`;
}
