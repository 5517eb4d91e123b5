import type { Sql } from 'postgres';
import { describeReason } from '../log.ts';
import type { Log } from '../log.ts';
import { connectDatabase, type DatabaseAddress } from '../postgres/index.ts';
import type { Broadcast } from './frames.ts';
import { realtimeLimits } from './limits.ts';
import type { Told } from './relay.ts';
import type { Place } from './rooms.ts';
import type { NotedChange } from './row-changes.ts';

/**
 * Follows `realtime.outbox`: each transaction that noted something is read once, in the order in
 * which they were committed. A notice tells its number. Notices are heard by a connection of their
 * own, which a beat tries every few seconds. Notices come in the order of the commits, so once a beat
 * is heard everything that was committed before it is too; after a time without notices, what the
 * outbox has since then is read before anything else.
 */
export interface OutboxFeed {
  close(): Promise<void>;
}

export interface OutboxReader {
  /** Whether anybody is there for what transactions of this kind noted; if not, they are not read. */
  wants(kind: 'message' | 'change'): boolean;
  message(place: Place, message: Broadcast): void;
  changes(changes: readonly NotedChange[]): Promise<void>;
  /** Which other servers follow the outbox. */
  others(servers: readonly string[]): void;
  /** Another server was heard; with a hello it asks for all that it should know. */
  heard(server: string, saysHello: boolean): void;
  /** Another server told its part. */
  relayed(server: string, place: Place, told: Told, message: Broadcast): void;
  /** A session of this user has ended, or the user is banned. */
  revoked(account: string): void;
  /** More was missed than the outbox keeps. */
  missed(): void;
}

interface Row {
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
  told: Told | null;
}

const channel = 'realtime';

export async function openOutboxFeed(
  o: { server: string; sql: Sql; database: DatabaseAddress; log: Log },
  reader: OutboxReader,
): Promise<OutboxFeed> {
  const { server: id, sql, database, log } = o;
  /** Transactions that were read, or need not be, since `beginning`. */
  const handled = new Set<string>();
  let listener: Sql | undefined;
  /** A snapshot: all that it sees was read. */
  let beginning: string | undefined;
  /** The same, once the beat that was sent with it is heard and what came before it is read. */
  let next: string | undefined;
  let isBeatHeard = false;
  /** Whether all that was heard of could be read. */
  let isWhole = true;
  let beatAt = performance.now();
  let queue = Promise.resolve();
  let closed = false;

  function hear(notice: string): void {
    if (notice === `beat ${id}`) hearBeat();
    const [, word, server] = /^(beat|hello) (\S+)$/.exec(notice) ?? [];
    if (server !== undefined) reader.heard(server, word === 'hello');
    const [, relayed, sender] = /^relay (\d+) (\S+)$/.exec(notice) ?? [];
    if (relayed !== undefined) {
      if (sender === id) handled.add(relayed);
      else enqueue(() => read(relayed));
      return;
    }
    const revoked = /^revoked (\S+)$/.exec(notice)?.[1];
    if (revoked !== undefined) return reader.revoked(revoked);
    const [, kind, xact] = /^(message|change) (\d+)$/.exec(notice) ?? [];
    if (xact === undefined) return;
    const isChange = kind === 'change';
    if (!reader.wants(isChange ? 'change' : 'message')) {
      // A transaction that noted both is told of twice.
      if (!reader.wants(isChange ? 'message' : 'change')) handled.add(xact);
      return;
    }
    enqueue(() => read(xact));
  }

  function hearBeat(): void {
    isBeatHeard = true;
    const snapshot = next;
    enqueue(async () => {
      if (snapshot === undefined || !isWhole) return;
      beginning = snapshot;
      const oldest = BigInt(snapshot.split(':')[0] ?? 0);
      for (const xact of handled) if (BigInt(xact) < oldest) handled.delete(xact);
    });
  }

  function enqueue(work: () => Promise<void>): void {
    queue = queue.then(work).catch((error: unknown) => {
      if (closed) return;
      log.warn('What the database notes for sockets could not be read.', {
        reason: describeReason(error),
      });
      // The next beat listens anew and reads what this left.
      isWhole = false;
    });
  }

  async function read(xact: string): Promise<void> {
    if (handled.has(xact) || closed) return;
    await pass(await select(sql`o.xact = ${xact}::text::xid8`));
    handled.add(xact);
  }

  function select(where: ReturnType<Sql>) {
    return sql<Row[]>`
      select o.seq::text, n.nspname as schema, c.relname as table, o.operation,
        o.message_id, o.topic, o.event, o.private, o.payload::text, encode(o.binary_payload, 'base64') as bytes,
        o.sender, o.told
      from realtime.outbox o
      left join pg_catalog.pg_class c on c.oid = o.relation
      left join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where ${where} order by o.seq`;
  }

  async function pass(rows: readonly Row[]): Promise<void> {
    const changes: NotedChange[] = [];
    for (const { seq, schema, table, operation, ...message } of rows) {
      if (message.sender === id) continue;
      if (operation === null) passMessage(message);
      else if (schema !== null && table !== null) changes.push({ seq, schema, table, operation });
    }
    if (changes.length > 0) await reader.changes(changes);
  }

  function passMessage(row: Omit<Row, 'seq' | 'schema' | 'table' | 'operation'>) {
    if (row.topic === null) return;
    const place = { name: row.topic, isPrivate: row.private ?? false };
    const body =
      row.bytes === null ? Buffer.from(row.payload ?? '{}') : Buffer.from(row.bytes, 'base64');
    if (row.sender !== null && row.told !== null) {
      const { isJson, meta } = row.told;
      const form = { isJson, ...(meta === undefined ? {} : { meta }) };
      reader.relayed(row.sender, place, row.told, { event: row.event ?? '', body, ...form });
      return;
    }
    if (row.event === null) return;
    if (body.length > realtimeLimits.maxMessageBytes || Buffer.byteLength(row.event) > 255) {
      log.warn('A message of the database is too large to send.', { bytes: body.length });
      return;
    }
    const meta = JSON.stringify({ id: row.message_id });
    reader.message(place, { event: row.event, body, isJson: row.bytes === null, meta });
  }

  /** What was committed since the beginning and was not heard of, oldest first. */
  async function catchUp(): Promise<void> {
    if (closed) return;
    if (beginning === undefined) {
      const [row] = await sql<{ snapshot: string }[]>`
        select pg_current_snapshot()::text as snapshot`;
      beginning = row?.snapshot;
      return;
    }
    const xacts = await sql<{ xact: string }[]>`
      select xact::text from realtime.outbox
      where not pg_visible_in_snapshot(xact, ${beginning}::text::pg_snapshot)
      group by xact order by min(seq)`;
    for (const { xact } of xacts) await read(xact);
  }

  async function listen(): Promise<void> {
    isWhole = true;
    void listener?.end({ timeout: 0 });
    const opened = connectDatabase(database, {
      max: 1,
      connect_timeout: 3,
      idle_timeout: 0,
      max_lifetime: null,
      fetch_types: false,
      backoff: () => 0.2,
    });
    listener = opened;
    // The driver listens anew by itself where it notices that the connection is gone.
    const hearOn = (notice: string) => {
      if (listener === opened) hear(notice);
    };
    await opened.listen(channel, hearOn, () => {
      const keptMs = realtimeLimits.outboxKeptMs - realtimeLimits.listenerBeatMs;
      if (performance.now() - beatAt > keptMs) reader.missed();
      enqueue(catchUp);
    });
    await queue;
  }

  async function beat(): Promise<void> {
    try {
      if (!isBeatHeard || !isWhole) await listen();
      isBeatHeard = false;
      const goneS = realtimeLimits.serverGoneMs / 1_000;
      const [row] = await sql<{ snapshot: string; others: string | null }[]>`
        with seen as (
          insert into realtime.listeners (id) values (${id})
          on conflict (id) do update set seen_at = now()
        ) select pg_current_snapshot()::text as snapshot, pg_notify(${channel}, ${`beat ${id}`}),
          (select string_agg(id::text, ' ') from realtime.listeners
            where id <> ${id} and seen_at > now() - make_interval(secs => ${goneS})) as others`;
      next = row?.snapshot;
      reader.others(row?.others?.split(' ') ?? []);
      beatAt = performance.now();
    } catch (error) {
      isBeatHeard = false;
      if (!closed)
        log.warn('Sockets hear nothing of the database.', { reason: describeReason(error) });
    }
  }

  // Before the first notice is waited for: without a listener's row, nothing is noted.
  await beat();
  const beating = setInterval(() => void beat(), realtimeLimits.listenerBeatMs);
  beating.unref();
  return {
    async close() {
      closed = true;
      clearInterval(beating);
      await queue;
      await sql`delete from realtime.listeners where id = ${id}`.catch((error: unknown) => {
        log.info('The database still takes us for a listener.', { reason: describeReason(error) });
      });
      await listener?.end({ timeout: 5 });
    },
  };
}

/** Drops what was told long ago, and messages older than a hosted project keeps. */
export async function cleanOutbox(sql: Sql): Promise<void> {
  const seconds = realtimeLimits.outboxKeptMs / 1_000;
  await sql`delete from realtime.outbox where noted_at < now() - make_interval(secs => ${seconds})`;
  await sql`delete from realtime.listeners where seen_at < now() - interval '1 hour'`;
  await sql`
    delete from realtime.messages
    where inserted_at < now() - make_interval(days => ${realtimeLimits.messagesKeptDays})`;
}
