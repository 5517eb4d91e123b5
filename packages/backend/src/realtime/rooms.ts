import { TokenBucket } from '@vitrine/project';
import { createRemotePresence } from './remote-presence.ts';
import { formatBroadcast, formatFrame } from './frames.ts';
import type { BroadcastMessage, OutgoingFrame, ProtocolVersion } from './frames.ts';
import type { SocketIdentity } from './identity.ts';
import { realtimeLimits } from './limits.ts';
import { createPresence, type PresenceEntry, type ChannelPresence } from './presence.ts';
import type { ChannelPermissions } from './permissions.ts';
import { formatTopic } from './topics.ts';

/** Key of a channel. A private and a public channel of the same name are distinct. */
export interface ChannelKey {
  readonly name: string;
  readonly isPrivate: boolean;
}

/** One socket in one channel. */
export interface ChannelMember extends ChannelKey {
  readonly version: ProtocolVersion;
  identity: SocketIdentity;
  permissions: ChannelPermissions;
  /** Whether it receives presence changes. */
  receivesPresence: boolean;
  send(outgoing: OutgoingFrame): void;
  /** Updates its permissions, and ends it when a read permission was revoked. */
  updatePermissions(permissions: ChannelPermissions): void;
  /** Sends the reason and removes it from the channel; the client does not rejoin by itself. */
  end(reason: string): void;
}

interface Room {
  readonly members: Set<ChannelMember>;
  readonly presence: ChannelPresence;
  readonly messageLimiter: TokenBucket;
}

/** Channels with members in this process. */
export interface Rooms {
  enter(member: ChannelMember): void;
  leave(member: ChannelMember): void;
  /**
   * Counts a message; false when the channel's limit is exceeded. Channels without members have no
   * limit.
   */
  consumeMessage(channelKey: ChannelKey): boolean;
  /** Sends a message to all members with read permission, on all servers. `except` is left out. */
  send(channelKey: ChannelKey, message: BroadcastMessage, except?: ChannelMember): void;
  /** Sends a message to the members of this process. */
  broadcast(channelKey: ChannelKey, message: BroadcastMessage, except?: ChannelMember): void;
  findPresence(channelKey: ChannelKey): ChannelPresence | undefined;
  /** Presence entries of this process. */
  listPresences(channelKey: ChannelKey): readonly PresenceEntry[];
  /** Channels with presence entries of this process. */
  listChannels(): ChannelKey[];
  /** Replaces the presence entries of another server. */
  setRemotePresences(
    server: string,
    channelKey: ChannelKey,
    entries: readonly PresenceEntry[],
  ): void;
  /** Removes another server with its presence entries. */
  removeServer(server: string): void;
  listMembers(): ChannelMember[];
  close(): void;
}

/** Publishes to other servers. */
interface ServerBus {
  publishMessage(channelKey: ChannelKey, message: BroadcastMessage): void;
  publishPresence(channelKey: ChannelKey): void;
}

export function createRooms(bus: ServerBus): Rooms {
  const rooms = new Map<string, Room>();
  const remotePresence = createRemotePresence();
  const getKey = ({ name, isPrivate }: ChannelKey) => `${isPrivate ? 'private' : 'public'} ${name}`;

  function openRoom(channelKey: ChannelKey): Room {
    const members = new Set<ChannelMember>();
    const broadcastDiff = (diff: string) => {
      const refs = { joinRef: null, ref: null, topic: formatTopic(channelKey.name) };
      const format = cachePerVersion((version) =>
        formatFrame(version, refs, 'presence_diff', diff),
      );
      for (const member of members) {
        if (member.receivesPresence && member.permissions.readPresence)
          sendFormatted(member, format);
      }
    };
    const presence = createPresence({
      broadcastDiff,
      onChange: () => bus.publishPresence(channelKey),
      listRemote: () => remotePresence.list(getKey(channelKey)),
    });
    const messageLimiter = new TokenBucket(realtimeLimits.messagesPerChannel);
    return { members, presence, messageLimiter };
  }

  function broadcast(
    channelKey: ChannelKey,
    message: BroadcastMessage,
    except?: ChannelMember,
  ): void {
    const room = rooms.get(getKey(channelKey));
    if (!room) return;
    const topic = formatTopic(channelKey.name);
    const format = cachePerVersion((version) => formatBroadcast(version, topic, message));
    for (const member of room.members) {
      if (member !== except && member.permissions.readBroadcasts) sendFormatted(member, format);
    }
  }

  return {
    enter(member) {
      const key = getKey(member);
      const room = rooms.get(key) ?? openRoom(member);
      rooms.set(key, room);
      room.members.add(member);
    },
    leave(member) {
      const key = getKey(member);
      const room = rooms.get(key);
      if (!room?.members.delete(member)) return;
      room.presence.untrack(member);
      if (room.members.size > 0) return;
      room.presence.close();
      rooms.delete(key);
    },
    consumeMessage: (channelKey) =>
      rooms.get(getKey(channelKey))?.messageLimiter.tryConsume() ?? true,
    send(channelKey, message, except) {
      broadcast(channelKey, message, except);
      bus.publishMessage(channelKey, message);
    },
    broadcast,
    findPresence: (channelKey) => rooms.get(getKey(channelKey))?.presence,
    listPresences: (channelKey) => rooms.get(getKey(channelKey))?.presence.list() ?? [],
    listChannels: () =>
      [...rooms.values()].flatMap(({ members, presence }) =>
        presence.list().length > 0 ? [...members].slice(0, 1) : [],
      ),
    setRemotePresences(server, channelKey, entries) {
      const diff = remotePresence.replaceEntries(server, getKey(channelKey), entries);
      rooms.get(getKey(channelKey))?.presence.applyRemoteDiff(diff);
    },
    removeServer(server) {
      for (const [key, leaves] of remotePresence.removeServer(server)) {
        rooms.get(key)?.presence.applyRemoteDiff({ joins: [], leaves });
      }
    },
    listMembers: () => [...rooms.values()].flatMap(({ members }) => [...members]),
    close() {
      for (const { presence } of rooms.values()) presence.close();
      rooms.clear();
    },
  };
}

type Format = (version: ProtocolVersion) => OutgoingFrame | undefined;

/** Caches the serialization by protocol version, so that it is done once for all members. */
function cachePerVersion(format: Format): Format {
  const frames = new Map<ProtocolVersion, OutgoingFrame | undefined>();
  return (version) => {
    if (!frames.has(version)) frames.set(version, format(version));
    return frames.get(version);
  };
}

function sendFormatted(member: ChannelMember, format: Format): void {
  const outgoing = format(member.version);
  if (outgoing) member.send(outgoing);
}
