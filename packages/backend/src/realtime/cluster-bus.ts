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
interface ClusterBus {
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

interface BusOptions {
  /** Id of this server. */
  readonly server: string;
  readonly sql: Sql;
  readonly rooms: Rooms;
  readonly log: Log;
}

/** Messages and presence lists that wait to be written to the outbox, in batches. */
class RelayQueue {
  readonly #options: BusOptions;
  readonly #messages: QueuedMessage[] = [];
  #bytes = 0;
  /** Channels whose presence list must be sent. */
  readonly #outdatedChannels = new Map<string, ChannelKey>();
  #isSending = false;
  #sending = Promise.resolve();

  constructor(options: BusOptions) {
    this.#options = options;
  }

  addMessage({ name, isPrivate }: ChannelKey, message: BroadcastMessage): void {
    if (this.#bytes + getQueueBytes(message) > realtimeLimits.maxRelayQueueBytes) {
      const { log } = this.#options;
      log.warn('A message to other servers was dropped because the database is too slow.', {});
      return;
    }
    this.#bytes += getQueueBytes(message);
    this.#messages.push({ name, isPrivate, message });
    this.start();
  }

  /** Schedules sending the presence list of a channel. */
  addPresence({ name, isPrivate }: ChannelKey): void {
    this.#outdatedChannels.set(JSON.stringify([name, isPrivate]), { name, isPrivate });
    this.start();
  }

  clear(): void {
    this.#messages.length = 0;
    this.#bytes = 0;
    this.#outdatedChannels.clear();
  }

  start(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    this.#sending = this.#sendAll().catch((error: unknown) => {
      this.#options.log.warn('Messages to other servers couldn’t be sent.', {
        reason: describeErrorForLog(error),
      });
    });
  }

  /** Resolves when what is being sent is written. */
  whenSent(): Promise<void> {
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    try {
      while (this.#messages.length + this.#outdatedChannels.size > 0) await this.#sendBatch();
    } finally {
      this.#isSending = false;
    }
  }

  async #sendBatch(): Promise<void> {
    const messages = this.#messages.splice(0, realtimeLimits.relayBatchSize);
    for (const { message } of messages) this.#bytes -= getQueueBytes(message);
    const channels = [...this.#outdatedChannels].slice(0, realtimeLimits.relayBatchSize);
    for (const [key] of channels) this.#outdatedChannels.delete(key);
    try {
      await this.#write([...messages, ...channels.map(([, channelKey]) => channelKey)]);
    } catch (error) {
      // Messages are lost, as on a socket that breaks; presence lists are sent again with the next
      // heartbeat.
      for (const [key, channelKey] of channels) this.#outdatedChannels.set(key, channelKey);
      throw error;
    }
  }

  async #write(items: readonly (ChannelKey & Partial<QueuedMessage>)[]): Promise<void> {
    const { server, sql } = this.#options;
    await sql`
      with written as (
        insert into realtime.outbox ${sql(items.map((item) => this.#formatRow(item)))} returning xact
      ) select pg_notify('realtime', concat_ws(' ', 'relay', (select min(xact::text) from written), ${server}::text))`;
  }

  #formatRow({ name, isPrivate, message }: ChannelKey & Partial<QueuedMessage>) {
    const { server, sql, rooms } = this.#options;
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
}

export function createClusterBus(options: BusOptions): ClusterBus {
  const { server, sql, rooms, log } = options;
  const otherServers = new Set<string>();
  const queue = new RelayQueue(options);

  function publishPresence(channelKey: ChannelKey): void {
    if (otherServers.size > 0) queue.addPresence(channelKey);
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
    publishMessage(channelKey, message) {
      if (otherServers.size > 0) queue.addMessage(channelKey, message);
    },
    publishPresence,
    setServers(servers) {
      for (const id of otherServers) {
        if (servers.includes(id)) continue;
        otherServers.delete(id);
        rooms.removeServer(id);
      }
      addServers(servers);
      if (otherServers.size === 0) queue.clear();
      queue.start();
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
    close: () => queue.whenSent(),
  };
}
