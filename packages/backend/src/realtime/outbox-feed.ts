import type { Sql } from 'postgres';
import { describeErrorForLog } from '../log.ts';
import type { Log } from '../log.ts';
import { openConnection, type DatabaseAddress } from '../postgres/index.ts';
import type { BroadcastMessage } from './frames.ts';
import { realtimeLimits } from './limits.ts';
import type { RelayedPayload } from './cluster-bus.ts';
import type { ChannelKey } from './rooms.ts';
import type { OutboxChange } from './row-changes.ts';

interface OutboxHandler {
  /** Whether anyone needs rows of this kind; otherwise they are not read. */
  isNeeded(kind: 'message' | 'change'): boolean;
  onMessage(channelKey: ChannelKey, message: BroadcastMessage): void;
  onChanges(changes: readonly OutboxChange[]): Promise<void>;
  /** Called with the other servers that follow the outbox. */
  onServerList(servers: readonly string[]): void;
  /** Called for a heartbeat or hello of another server. A hello requests our presence lists. */
  onServerSeen(server: string, isHello: boolean): void;
  /** Called for a message from another server. */
  onRelayedMessage(
    server: string,
    channelKey: ChannelKey,
    payload: RelayedPayload,
    message: BroadcastMessage,
  ): void;
  /** Called when a session of this user has ended, or the user is banned. */
  onRevoked(account: string): void;
  /** Called when more was missed than the outbox keeps. */
  onMissed(): void;
}

interface OutboxRow {
  seq: string;
  schema: string | null;
  table: string | null;
  operation: string | null;
  message_id: string | null;
  topic: string | null;
  event: string | null;
  private: boolean | null;
  payload: string | null;
  bytes: string | null;
  sender: string | null;
  relayedPayload: RelayedPayload | null;
}

const channel = 'realtime';

interface FeedOptions {
  /** Id of this server. */
  readonly server: string;
  readonly sql: Sql;
  readonly database: DatabaseAddress;
  readonly log: Log;
}

/**
 * Follows `realtime.outbox`: reads each transaction that wrote to it once, in commit order. Each
 * NOTIFY carries the transaction's id (xid8). Notifications arrive on a connection of their own,
 * which is tested by a heartbeat every few seconds. They arrive in commit order, so a received
 * heartbeat means that everything committed before it was received too. After an interruption, the
 * rows written since then are read first.
 */
export class OutboxFeed {
  readonly #options: FeedOptions;
  readonly #handler: OutboxHandler;
  readonly #deliver: (xact: string) => Promise<void>;
  /** Transactions since `readSnapshot` that were read or skipped. */
  readonly #handled = new Set<string>();
  #notifyConnection: Sql | undefined;
  /** A snapshot (pg_snapshot): everything visible in it was read. */
  #readSnapshot: string | undefined;
  /**
   * The next `readSnapshot`, once the heartbeat sent with it was received and everything before it
   * was read.
   */
  #pendingSnapshot: string | undefined;
  #isHeartbeatReceived = false;
  /** Whether everything that was announced could be read. */
  #isComplete = true;
  #lastHeartbeatAt = performance.now();
  #queue = Promise.resolve();
  #isClosed = false;
  #heartbeatTimer: NodeJS.Timeout | undefined;

  private constructor(options: FeedOptions, handler: OutboxHandler) {
    this.#options = options;
    this.#handler = handler;
    this.#deliver = createOutboxReader(options, handler);
  }

  static async open(options: FeedOptions, handler: OutboxHandler): Promise<OutboxFeed> {
    const feed = new OutboxFeed(options, handler);
    // Before waiting for notifications: without a listener's row, nothing is written to the outbox.
    await feed.#sendHeartbeat();
    feed.#heartbeatTimer = setInterval(
      () => void feed.#sendHeartbeat(),
      realtimeLimits.listenerHeartbeatMs,
    );
    feed.#heartbeatTimer.unref();
    return feed;
  }

  async close(): Promise<void> {
    const { server, sql, log } = this.#options;
    this.#isClosed = true;
    clearInterval(this.#heartbeatTimer);
    await this.#queue;
    await sql`delete from realtime.listeners where id = ${server}`.catch((error: unknown) => {
      log.info('Couldn’t remove the realtime listener.', {
        reason: describeErrorForLog(error),
      });
    });
    await this.#notifyConnection?.end({ timeout: 5 });
  }

  #handleNotification(notice: string): void {
    if (notice === `beat ${this.#options.server}`) this.#onHeartbeat();
    const [, command, server] = /^(beat|hello) (\S+)$/.exec(notice) ?? [];
    if (server !== undefined) this.#handler.onServerSeen(server, command === 'hello');
    const [, relayed, sender] = /^relay (\d+) (\S+)$/.exec(notice) ?? [];
    if (relayed !== undefined) {
      if (sender === this.#options.server) this.#handled.add(relayed);
      else this.#enqueue(() => this.#read(relayed));
      return;
    }
    const revoked = /^revoked (\S+)$/.exec(notice)?.[1];
    if (revoked !== undefined) return this.#handler.onRevoked(revoked);
    const [, kind, xact] = /^(message|change) (\d+)$/.exec(notice) ?? [];
    if (xact === undefined) return;
    const isChange = kind === 'change';
    if (!this.#handler.isNeeded(isChange ? 'change' : 'message')) {
      // A transaction that wrote both kinds is announced twice.
      if (!this.#handler.isNeeded(isChange ? 'message' : 'change')) this.#handled.add(xact);
      return;
    }
    this.#enqueue(() => this.#read(xact));
  }

  #onHeartbeat(): void {
    this.#isHeartbeatReceived = true;
    const snapshot = this.#pendingSnapshot;
    this.#enqueue(async () => {
      if (snapshot === undefined || !this.#isComplete) return;
      this.#readSnapshot = snapshot;
      const oldest = BigInt(snapshot.split(':')[0] ?? 0);
      for (const xact of this.#handled) if (BigInt(xact) < oldest) this.#handled.delete(xact);
    });
  }

  #enqueue(work: () => Promise<void>): void {
    this.#queue = this.#queue.then(work).catch((error: unknown) => {
      if (this.#isClosed) return;
      this.#options.log.warn('Couldn’t read the realtime outbox.', {
        reason: describeErrorForLog(error),
      });
      // The next heartbeat reconnects and reads what is missing.
      this.#isComplete = false;
    });
  }

  async #read(xact: string): Promise<void> {
    if (this.#handled.has(xact) || this.#isClosed) return;
    await this.#deliver(xact);
    this.#handled.add(xact);
  }

  /** Reads transactions that were committed since `readSnapshot` and not announced, oldest first. */
  async #catchUp(): Promise<void> {
    if (this.#isClosed) return;
    if (this.#readSnapshot === undefined) {
      const [row] = await this.#options.sql<{ snapshot: string }[]>`
        select pg_current_snapshot()::text as snapshot`;
      this.#readSnapshot = row?.snapshot;
      return;
    }
    const xacts = await this.#options.sql<{ xact: string }[]>`
      select xact::text from realtime.outbox
      where not pg_visible_in_snapshot(xact, ${this.#readSnapshot}::text::pg_snapshot)
      group by xact order by min(seq)`;
    for (const { xact } of xacts) await this.#read(xact);
  }

  async #listen(): Promise<void> {
    this.#isComplete = true;
    void this.#notifyConnection?.end({ timeout: 0 });
    const connection = openConnection(this.#options.database, {
      connect_timeout: 3,
      backoff: () => 0.2,
    });
    this.#notifyConnection = connection;
    // The driver listens again by itself when it notices that the connection is lost.
    const onNotification = (notice: string) => {
      if (this.#notifyConnection === connection) this.#handleNotification(notice);
    };
    await connection.listen(channel, onNotification, () => {
      const maxGapMs = realtimeLimits.outboxRetentionMs - realtimeLimits.listenerHeartbeatMs;
      if (performance.now() - this.#lastHeartbeatAt > maxGapMs) this.#handler.onMissed();
      this.#enqueue(() => this.#catchUp());
    });
    await this.#queue;
  }

  async #sendHeartbeat(): Promise<void> {
    try {
      if (!this.#isHeartbeatReceived || !this.#isComplete) await this.#listen();
      this.#isHeartbeatReceived = false;
      const { snapshot, others } = await notifyHeartbeat(this.#options.sql, this.#options.server);
      this.#pendingSnapshot = snapshot;
      this.#handler.onServerList(others);
      this.#lastHeartbeatAt = performance.now();
    } catch (error) {
      this.#isHeartbeatReceived = false;
      if (!this.#isClosed)
        this.#options.log.warn('The realtime listener can’t reach the database.', {
          reason: describeErrorForLog(error),
        });
    }
  }
}

/** Records that this server is alive, and notifies all servers of it, itself included. */
async function notifyHeartbeat(
  sql: Sql,
  serverId: string,
): Promise<{ snapshot: string | undefined; others: string[] }> {
  const serverTimeoutSeconds = realtimeLimits.serverTimeoutMs / 1_000;
  const [row] = await sql<{ snapshot: string; others: string | null }[]>`
    with seen as (
      insert into realtime.listeners (id) values (${serverId})
      on conflict (id) do update set seen_at = now()
    ) select pg_current_snapshot()::text as snapshot, pg_notify(${channel}, ${`beat ${serverId}`}),
      (select string_agg(id::text, ' ') from realtime.listeners
        where id <> ${serverId} and seen_at > now() - make_interval(secs => ${serverTimeoutSeconds})) as others`;
  return { snapshot: row?.snapshot, others: row?.others?.split(' ') ?? [] };
}

/** Reads the rows of one transaction, and gives them to the handler. Skips this server's own. */
function createOutboxReader({ server, sql, log }: FeedOptions, handler: OutboxHandler) {
  function select(xact: string) {
    return sql<OutboxRow[]>`
      select o.seq::text, n.nspname as schema, c.relname as table, o.operation,
        o.message_id, o.topic, o.event, o.private, o.payload::text, encode(o.binary_payload, 'base64') as bytes,
        o.sender, o.told as "relayedPayload"
      from realtime.outbox o
      left join pg_catalog.pg_class c on c.oid = o.relation
      left join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where o.xact = ${xact}::text::xid8 order by o.seq`;
  }

  async function deliverRows(rows: readonly OutboxRow[]): Promise<void> {
    const changes: OutboxChange[] = [];
    for (const { seq, schema, table, operation, ...message } of rows) {
      if (message.sender === server) continue;
      if (operation === null) deliverMessage(message);
      else if (schema !== null && table !== null) changes.push({ seq, schema, table, operation });
    }
    if (changes.length > 0) await handler.onChanges(changes);
  }

  function deliverMessage(row: Omit<OutboxRow, 'seq' | 'schema' | 'table' | 'operation'>) {
    if (row.topic === null) return;
    const channelKey = { name: row.topic, isPrivate: row.private ?? false };
    const body =
      row.bytes === null ? Buffer.from(row.payload ?? '{}') : Buffer.from(row.bytes, 'base64');
    if (row.sender !== null && row.relayedPayload !== null) {
      const { isJson, meta } = row.relayedPayload;
      const encoding = { isJson, ...(meta === undefined ? {} : { meta }) };
      handler.onRelayedMessage(row.sender, channelKey, row.relayedPayload, {
        event: row.event ?? '',
        body,
        ...encoding,
      });
      return;
    }
    if (row.event === null) return;
    if (body.length > realtimeLimits.maxMessageBytes || Buffer.byteLength(row.event) > 255) {
      log.warn('A message from the database is too large to send.', { bytes: body.length });
      return;
    }
    const meta = JSON.stringify({ id: row.message_id });
    handler.onMessage(channelKey, { event: row.event, body, isJson: row.bytes === null, meta });
  }

  return async (xact: string) => deliverRows(await select(xact));
}

/** Deletes old rows of the outbox, and messages older than hosted Supabase keeps (3 days). */
export async function cleanOutbox(sql: Sql): Promise<void> {
  const seconds = realtimeLimits.outboxRetentionMs / 1_000;
  await sql`delete from realtime.outbox where noted_at < now() - make_interval(secs => ${seconds})`;
  await sql`delete from realtime.listeners where seen_at < now() - interval '1 hour'`;
  await sql`
    delete from realtime.messages
    where inserted_at < now() - make_interval(days => ${realtimeLimits.messageRetentionDays})`;
}
