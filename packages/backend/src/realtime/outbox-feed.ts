import type { Sql } from 'postgres';
import { describeErrorForLog } from '../log.ts';
import type { Log } from '../log.ts';
import { openConnection, type DatabaseAddress } from '../postgres/index.ts';
import type { BroadcastMessage } from './frames.ts';
import { realtimeLimits } from './limits.ts';
import type { RelayedPayload } from './cluster-bus.ts';
import type { ChannelKey } from './rooms.ts';
import type { OutboxChange } from './row-changes.ts';

/**
 * Follows `realtime.outbox`: reads each transaction that wrote to it once, in commit order. Each
 * NOTIFY carries the transaction's id (xid8). Notifications arrive on a connection of their own,
 * which is tested by a heartbeat every few seconds. They arrive in commit order, so a received
 * heartbeat means that everything committed before it was received too. After an interruption, the
 * rows written since then are read first.
 */
export interface OutboxFeed {
  close(): Promise<void>;
}

export interface OutboxHandler {
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

export async function openOutboxFeed(
  options: { server: string; sql: Sql; database: DatabaseAddress; log: Log },
  handler: OutboxHandler,
): Promise<OutboxFeed> {
  const { server: serverId, sql, database, log } = options;
  /** Transactions since `readSnapshot` that were read or skipped. */
  const handled = new Set<string>();
  let notifyConnection: Sql | undefined;
  /** A snapshot (pg_snapshot): everything visible in it was read. */
  let readSnapshot: string | undefined;
  /**
   * The next `readSnapshot`, once the heartbeat sent with it was received and everything before it
   * was read.
   */
  let pendingSnapshot: string | undefined;
  let isHeartbeatReceived = false;
  /** Whether everything that was announced could be read. */
  let isComplete = true;
  let lastHeartbeatAt = performance.now();
  let queue = Promise.resolve();
  let isClosed = false;

  function handleNotification(notice: string): void {
    if (notice === `beat ${serverId}`) onHeartbeat();
    const [, command, server] = /^(beat|hello) (\S+)$/.exec(notice) ?? [];
    if (server !== undefined) handler.onServerSeen(server, command === 'hello');
    const [, relayed, sender] = /^relay (\d+) (\S+)$/.exec(notice) ?? [];
    if (relayed !== undefined) {
      if (sender === serverId) handled.add(relayed);
      else enqueue(() => read(relayed));
      return;
    }
    const revoked = /^revoked (\S+)$/.exec(notice)?.[1];
    if (revoked !== undefined) return handler.onRevoked(revoked);
    const [, kind, xact] = /^(message|change) (\d+)$/.exec(notice) ?? [];
    if (xact === undefined) return;
    const isChange = kind === 'change';
    if (!handler.isNeeded(isChange ? 'change' : 'message')) {
      // A transaction that wrote both kinds is announced twice.
      if (!handler.isNeeded(isChange ? 'message' : 'change')) handled.add(xact);
      return;
    }
    enqueue(() => read(xact));
  }

  function onHeartbeat(): void {
    isHeartbeatReceived = true;
    const snapshot = pendingSnapshot;
    enqueue(async () => {
      if (snapshot === undefined || !isComplete) return;
      readSnapshot = snapshot;
      const oldest = BigInt(snapshot.split(':')[0] ?? 0);
      for (const xact of handled) if (BigInt(xact) < oldest) handled.delete(xact);
    });
  }

  function enqueue(work: () => Promise<void>): void {
    queue = queue.then(work).catch((error: unknown) => {
      if (isClosed) return;
      log.warn('Couldn’t read the realtime outbox.', {
        reason: describeErrorForLog(error),
      });
      // The next heartbeat reconnects and reads what is missing.
      isComplete = false;
    });
  }

  async function read(xact: string): Promise<void> {
    if (handled.has(xact) || isClosed) return;
    await deliverRows(await select(sql`o.xact = ${xact}::text::xid8`));
    handled.add(xact);
  }

  function select(where: ReturnType<Sql>) {
    return sql<OutboxRow[]>`
      select o.seq::text, n.nspname as schema, c.relname as table, o.operation,
        o.message_id, o.topic, o.event, o.private, o.payload::text, encode(o.binary_payload, 'base64') as bytes,
        o.sender, o.told as "relayedPayload"
      from realtime.outbox o
      left join pg_catalog.pg_class c on c.oid = o.relation
      left join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where ${where} order by o.seq`;
  }

  async function deliverRows(rows: readonly OutboxRow[]): Promise<void> {
    const changes: OutboxChange[] = [];
    for (const { seq, schema, table, operation, ...message } of rows) {
      if (message.sender === serverId) continue;
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

  /** Reads transactions that were committed since `readSnapshot` and not announced, oldest first. */
  async function catchUp(): Promise<void> {
    if (isClosed) return;
    if (readSnapshot === undefined) {
      const [row] = await sql<{ snapshot: string }[]>`
        select pg_current_snapshot()::text as snapshot`;
      readSnapshot = row?.snapshot;
      return;
    }
    const xacts = await sql<{ xact: string }[]>`
      select xact::text from realtime.outbox
      where not pg_visible_in_snapshot(xact, ${readSnapshot}::text::pg_snapshot)
      group by xact order by min(seq)`;
    for (const { xact } of xacts) await read(xact);
  }

  async function listen(): Promise<void> {
    isComplete = true;
    void notifyConnection?.end({ timeout: 0 });
    const connection = openConnection(database, { connect_timeout: 3, backoff: () => 0.2 });
    notifyConnection = connection;
    // The driver listens again by itself when it notices that the connection is lost.
    const onNotification = (notice: string) => {
      if (notifyConnection === connection) handleNotification(notice);
    };
    await connection.listen(channel, onNotification, () => {
      const maxGapMs = realtimeLimits.outboxRetentionMs - realtimeLimits.listenerHeartbeatMs;
      if (performance.now() - lastHeartbeatAt > maxGapMs) handler.onMissed();
      enqueue(catchUp);
    });
    await queue;
  }

  async function sendHeartbeat(): Promise<void> {
    try {
      if (!isHeartbeatReceived || !isComplete) await listen();
      isHeartbeatReceived = false;
      const serverTimeoutSeconds = realtimeLimits.serverTimeoutMs / 1_000;
      const [row] = await sql<{ snapshot: string; others: string | null }[]>`
        with seen as (
          insert into realtime.listeners (id) values (${serverId})
          on conflict (id) do update set seen_at = now()
        ) select pg_current_snapshot()::text as snapshot, pg_notify(${channel}, ${`beat ${serverId}`}),
          (select string_agg(id::text, ' ') from realtime.listeners
            where id <> ${serverId} and seen_at > now() - make_interval(secs => ${serverTimeoutSeconds})) as others`;
      pendingSnapshot = row?.snapshot;
      handler.onServerList(row?.others?.split(' ') ?? []);
      lastHeartbeatAt = performance.now();
    } catch (error) {
      isHeartbeatReceived = false;
      if (!isClosed)
        log.warn('The realtime listener can’t reach the database.', {
          reason: describeErrorForLog(error),
        });
    }
  }

  // Before waiting for notifications: without a listener's row, nothing is written to the outbox.
  await sendHeartbeat();
  const heartbeatTimer = setInterval(
    () => void sendHeartbeat(),
    realtimeLimits.listenerHeartbeatMs,
  );
  heartbeatTimer.unref();
  return {
    async close() {
      isClosed = true;
      clearInterval(heartbeatTimer);
      await queue;
      await sql`delete from realtime.listeners where id = ${serverId}`.catch((error: unknown) => {
        log.info('Couldn’t remove the realtime listener.', {
          reason: describeErrorForLog(error),
        });
      });
      await notifyConnection?.end({ timeout: 5 });
    },
  };
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
