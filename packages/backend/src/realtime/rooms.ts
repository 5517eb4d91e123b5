import { createElsewhere } from './elsewhere.ts';
import { formatBroadcast, formatFrame } from './frames.ts';
import type { Broadcast, Outgoing, Version } from './frames.ts';
import type { Identity } from './identity.ts';
import { realtimeLimits } from './limits.ts';
import { createPresence, type Entry, type Presence } from './presence.ts';
import type { Rights } from './rights.ts';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';
import { formatTopic } from './topics.ts';

/** Key of a channel. A private and a public channel of the same name are distinct. */
export interface Place {
  readonly name: string;
  readonly isPrivate: boolean;
}

/** One socket in one channel. */
export interface Member extends Place {
  readonly version: Version;
  identity: Identity;
  rights: Rights;
  /** Whether it receives presence changes. */
  followsPresence: boolean;
  send(outgoing: Outgoing): void;
  /** Updates its permissions, and ends it when a read permission was revoked. */
  regard(rights: Rights): void;
  /** Sends the reason and removes it from the channel; the client does not rejoin by itself. */
  end(reason: string): void;
}

interface Room {
  readonly members: Set<Member>;
  readonly presence: Presence;
  readonly messages: TokenBucket;
}

/** Channels with members in this process. */
export interface Rooms {
  enter(member: Member): void;
  leave(member: Member): void;
  /**
   * Counts a message; false when the channel's limit is exceeded. Channels without members have no
   * limit.
   */
  takeMessage(channelKey: Place): boolean;
  /** Sends a message to all members with read permission, on all servers. `except` is left out. */
  send(channelKey: Place, message: Broadcast, except?: Member): void;
  /** Sends a message to the members of this process. */
  broadcast(channelKey: Place, message: Broadcast, except?: Member): void;
  presenceOf(channelKey: Place): Presence | undefined;
  /** Presence entries of this process. */
  listPresences(channelKey: Place): readonly Entry[];
  /** Channels with presence entries of this process. */
  listPlaces(): Place[];
  /** Replaces the presence entries of another server. */
  putPresences(server: string, channelKey: Place, entries: readonly Entry[]): void;
  /** Removes another server with its presence entries. */
  dropServer(server: string): void;
  listMembers(): Member[];
  close(): void;
}

/** Publishes to other servers. */
interface ServerBus {
  sent(channelKey: Place, message: Broadcast): void;
  changed(channelKey: Place): void;
}

export function createRooms(bus: ServerBus): Rooms {
  const rooms = new Map<string, Room>();
  const remotePresence = createElsewhere();
  const getKey = ({ name, isPrivate }: Place) => `${isPrivate ? 'private' : 'public'} ${name}`;

  function openRoom(channelKey: Place): Room {
    const members = new Set<Member>();
    const tell = (diff: string) => {
      const address = { joinRef: null, ref: null, topic: formatTopic(channelKey.name) };
      const format = cachePerVersion((version) =>
        formatFrame(version, address, 'presence_diff', diff),
      );
      for (const member of members) {
        if (member.followsPresence && member.rights.readPresence) sendFormatted(member, format);
      }
    };
    const presence = createPresence({
      tell,
      changed: () => bus.changed(channelKey),
      listElsewhere: () => remotePresence.list(getKey(channelKey)),
    });
    return { members, presence, messages: createTokenBucket(realtimeLimits.messagesPerChannel) };
  }

  function broadcast(channelKey: Place, message: Broadcast, except?: Member): void {
    const room = rooms.get(getKey(channelKey));
    if (!room) return;
    const topic = formatTopic(channelKey.name);
    const format = cachePerVersion((version) => formatBroadcast(version, topic, message));
    for (const member of room.members) {
      if (member !== except && member.rights.readBroadcasts) sendFormatted(member, format);
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
    takeMessage: (channelKey) => rooms.get(getKey(channelKey))?.messages.take() ?? true,
    send(channelKey, message, except) {
      broadcast(channelKey, message, except);
      bus.sent(channelKey, message);
    },
    broadcast,
    presenceOf: (channelKey) => rooms.get(getKey(channelKey))?.presence,
    listPresences: (channelKey) => rooms.get(getKey(channelKey))?.presence.list() ?? [],
    listPlaces: () =>
      [...rooms.values()].flatMap(({ members, presence }) =>
        presence.list().length > 0 ? [...members].slice(0, 1) : [],
      ),
    putPresences(server, channelKey, entries) {
      const difference = remotePresence.put(server, getKey(channelKey), entries);
      rooms.get(getKey(channelKey))?.presence.differ(difference);
    },
    dropServer(server) {
      for (const [key, leaves] of remotePresence.drop(server)) {
        rooms.get(key)?.presence.differ({ joins: [], leaves });
      }
    },
    listMembers: () => [...rooms.values()].flatMap(({ members }) => [...members]),
    close() {
      for (const { presence } of rooms.values()) presence.close();
      rooms.clear();
    },
  };
}

type Format = (version: Version) => Outgoing | undefined;

/** Caches the serialization by protocol version, so that it is done once for all readers. */
function cachePerVersion(format: Format): Format {
  const written = new Map<Version, Outgoing | undefined>();
  return (version) => {
    if (!written.has(version)) written.set(version, format(version));
    return written.get(version);
  };
}

function sendFormatted(member: Member, format: Format): void {
  const outgoing = format(member.version);
  if (outgoing) member.send(outgoing);
}
