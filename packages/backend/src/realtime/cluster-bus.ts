import type { Sql } from 'postgres';
import { describeErrorForLog } from '../log.ts';
import type { Log } from '../log.ts';
import type { BroadcastMessage } from './frames.ts';
import { realtimeLimits } from './limits.ts';
import type { PresenceEntry } from './presence.ts';
import type { ChannelKey, Rooms } from './rooms.ts';

/**
 * Exchange between servers with the same database, through its outbox: messages between members,
 * and complete presence lists. A server that discovers another sends a hello, and the other
 * responds with the lists of all its channels. A single server writes nothing.
 */
export interface ClusterBus {
  /** Publishes a message of this server. */
  publishMessage(channelKey: ChannelKey, message: BroadcastMessage): void;
  /** Publishes the presence list of a channel. */
  publishPresence(channelKey: ChannelKey): void;
  /** Sets the other servers; the presence of missing ones is removed. */
  setServers(servers: readonly string[]): void;
  /** Handles a sign of another server. With a hello, it requests all presence lists. */
  onServerSign(server: string, saysHello: boolean): void;
  /** Handles a message of another server. */
  onMessage(
    server: string,
    channelKey: ChannelKey,
    told: RelayedPayload,
    message: BroadcastMessage,
  ): void;
  close(): Promise<void>;
}

/** Encoding of a relayed message, or a presence list. */
export interface RelayedPayload {
  readonly isJson: boolean;
  readonly meta?: string;
  readonly presences?: readonly PresenceEntry[];
}

interface QueuedMessage extends ChannelKey {
  readonly message: BroadcastMessage;
}

/** Bytes of a message in the queue, including the overhead of an empty one. */
const getQueueBytes = ({ body }: BroadcastMessage) => body.length + 512;

export function createClusterBus(o: {
  server: string;
  sql: Sql;
  rooms: Rooms;
  log: Log;
}): ClusterBus {
  const { server, sql, rooms, log } = o;
  const others = new Set<string>();
  const queue: QueuedMessage[] = [];
  let waitingBytes = 0;
  /** Channels whose presence list must be sent. */
  const outdated = new Map<string, ChannelKey>();
  let isSending = false;
  let sending = Promise.resolve();

  function startSending(): void {
    if (isSending) return;
    isSending = true;
    sending = sendAll().catch((error: unknown) => {
      log.warn('Messages to other servers couldn’t be sent.', {
        reason: describeErrorForLog(error),
      });
    });
  }

  async function sendAll(): Promise<void> {
    try {
      while (queue.length + outdated.size > 0) await sendBatch();
    } finally {
      isSending = false;
    }
  }

  async function sendBatch(): Promise<void> {
    const messages = queue.splice(0, realtimeLimits.relayBatchSize);
    for (const { message } of messages) waitingBytes -= getQueueBytes(message);
    const channels = [...outdated].slice(0, realtimeLimits.relayBatchSize);
    for (const [key] of channels) outdated.delete(key);
    try {
      await write([...messages, ...channels.map(([, channelKey]) => channelKey)].map(formatRow));
    } catch (error) {
      // Messages are lost, as on a socket that breaks; presence lists are sent again with the next
      // heartbeat.
      for (const [key, channelKey] of channels) outdated.set(key, channelKey);
      throw error;
    }
  }

  function formatRow({ name, isPrivate, message }: ChannelKey & Partial<QueuedMessage>) {
    const here = message ? [] : rooms.listPresences({ name, isPrivate });
    const told = message
      ? { isJson: message.isJson, meta: message.meta }
      : { isJson: true, presences: here.map(({ key, ref, meta }) => ({ key, ref, meta })) };
    return {
      sender: server,
      topic: name,
      private: isPrivate,
      event: message?.event ?? null,
      binary_payload: message?.body ?? null,
      told: sql.json(told),
    };
  }

  async function write(rows: readonly ReturnType<typeof formatRow>[]): Promise<void> {
    await sql`
      with written as (
        insert into realtime.outbox ${sql(rows)} returning xact
      ) select pg_notify('realtime', concat_ws(' ', 'relay', (select min(xact::text) from written), ${server}::text))`;
  }

  function changed({ name, isPrivate }: ChannelKey): void {
    if (others.size === 0) return;
    outdated.set(JSON.stringify([name, isPrivate]), { name, isPrivate });
    startSending();
  }

  function addServers(serverIds: readonly string[]): void {
    const unknown = serverIds.filter((id) => id !== server && !others.has(id));
    if (unknown.length === 0) return;
    for (const id of unknown) others.add(id);
    sql`select pg_notify('realtime', ${`hello ${server}`})`.catch((error: unknown) => {
      // Retried with the next heartbeat.
      for (const id of unknown) others.delete(id);
      log.warn('Couldn’t notify other servers.', { reason: describeErrorForLog(error) });
    });
  }

  return {
    publishMessage({ name, isPrivate }, message) {
      if (others.size === 0) return;
      if (waitingBytes + getQueueBytes(message) > realtimeLimits.maxRelayQueueBytes) {
        log.warn('A message to other servers was dropped because the database is too slow.', {});
        return;
      }
      waitingBytes += getQueueBytes(message);
      queue.push({ name, isPrivate, message });
      startSending();
    },
    publishPresence: changed,
    setServers(servers) {
      for (const id of others) {
        if (servers.includes(id)) continue;
        others.delete(id);
        rooms.removeServer(id);
      }
      addServers(servers);
      // Discards the queue when there are no other servers.
      if (others.size === 0) {
        waitingBytes -= queue
          .splice(0)
          .reduce((sum, { message }) => sum + getQueueBytes(message), 0);
        outdated.clear();
      }
      startSending();
    },
    onServerSign(id, saysHello) {
      if (id === server) return;
      addServers([id]);
      if (saysHello) for (const channelKey of rooms.listChannels()) changed(channelKey);
    },
    onMessage(id, channelKey, { presences }, message) {
      addServers([id]);
      if (presences) rooms.setRemotePresences(id, channelKey, presences);
      else rooms.broadcast(channelKey, message);
    },
    close: async () => sending,
  };
}
