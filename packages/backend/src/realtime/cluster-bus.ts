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
  /** Handles a heartbeat or hello of another server. A hello requests our presence lists. */
  onServerSeen(server: string, isHello: boolean): void;
  /** Handles a message of another server. */
  onMessage(
    server: string,
    channelKey: ChannelKey,
    payload: RelayedPayload,
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

export function createClusterBus(options: {
  server: string;
  sql: Sql;
  rooms: Rooms;
  log: Log;
}): ClusterBus {
  const { server, sql, rooms, log } = options;
  const otherServers = new Set<string>();
  const queue: QueuedMessage[] = [];
  let queuedBytes = 0;
  /** Channels whose presence list must be sent. */
  const outdatedChannels = new Map<string, ChannelKey>();
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
      while (queue.length + outdatedChannels.size > 0) await sendBatch();
    } finally {
      isSending = false;
    }
  }

  async function sendBatch(): Promise<void> {
    const messages = queue.splice(0, realtimeLimits.relayBatchSize);
    for (const { message } of messages) queuedBytes -= getQueueBytes(message);
    const channels = [...outdatedChannels].slice(0, realtimeLimits.relayBatchSize);
    for (const [key] of channels) outdatedChannels.delete(key);
    try {
      await write([...messages, ...channels.map(([, channelKey]) => channelKey)].map(formatRow));
    } catch (error) {
      // Messages are lost, as on a socket that breaks; presence lists are sent again with the next
      // heartbeat.
      for (const [key, channelKey] of channels) outdatedChannels.set(key, channelKey);
      throw error;
    }
  }

  function formatRow({ name, isPrivate, message }: ChannelKey & Partial<QueuedMessage>) {
    const presences = message ? [] : rooms.listPresences({ name, isPrivate });
    const payload = message
      ? { isJson: message.isJson, meta: message.meta }
      : { isJson: true, presences: presences.map(({ key, ref, meta }) => ({ key, ref, meta })) };
    return {
      sender: server,
      topic: name,
      private: isPrivate,
      event: message?.event ?? null,
      binary_payload: message?.body ?? null,
      told: sql.json(payload),
    };
  }

  async function write(rows: readonly ReturnType<typeof formatRow>[]): Promise<void> {
    await sql`
      with written as (
        insert into realtime.outbox ${sql(rows)} returning xact
      ) select pg_notify('realtime', concat_ws(' ', 'relay', (select min(xact::text) from written), ${server}::text))`;
  }

  /** Schedules sending the presence list of a channel. */
  function publishPresence({ name, isPrivate }: ChannelKey): void {
    if (otherServers.size === 0) return;
    outdatedChannels.set(JSON.stringify([name, isPrivate]), { name, isPrivate });
    startSending();
  }

  function addServers(serverIds: readonly string[]): void {
    const newServers = serverIds.filter((id) => id !== server && !otherServers.has(id));
    if (newServers.length === 0) return;
    for (const id of newServers) otherServers.add(id);
    sql`select pg_notify('realtime', ${`hello ${server}`})`.catch((error: unknown) => {
      // Retried with the next heartbeat.
      for (const id of newServers) otherServers.delete(id);
      log.warn('Couldn’t notify other servers.', { reason: describeErrorForLog(error) });
    });
  }

  return {
    publishMessage({ name, isPrivate }, message) {
      if (otherServers.size === 0) return;
      if (queuedBytes + getQueueBytes(message) > realtimeLimits.maxRelayQueueBytes) {
        log.warn('A message to other servers was dropped because the database is too slow.', {});
        return;
      }
      queuedBytes += getQueueBytes(message);
      queue.push({ name, isPrivate, message });
      startSending();
    },
    publishPresence,
    setServers(servers) {
      for (const id of otherServers) {
        if (servers.includes(id)) continue;
        otherServers.delete(id);
        rooms.removeServer(id);
      }
      addServers(servers);
      // Discards the queue when there are no other servers.
      if (otherServers.size === 0) {
        queuedBytes -= queue
          .splice(0)
          .reduce((sum, { message }) => sum + getQueueBytes(message), 0);
        outdatedChannels.clear();
      }
      startSending();
    },
    onServerSeen(id, isHello) {
      if (id === server) return;
      addServers([id]);
      if (isHello) for (const channelKey of rooms.listChannels()) publishPresence(channelKey);
    },
    onMessage(id, channelKey, { presences }, message) {
      addServers([id]);
      if (presences) rooms.setRemotePresences(id, channelKey, presences);
      else rooms.broadcast(channelKey, message);
    },
    close: async () => sending,
  };
}
