import { createElsewhere } from './elsewhere.ts';
import { formatBroadcast, formatFrame } from './frames.ts';
import type { Broadcast, Outgoing, Version } from './frames.ts';
import type { Identity } from './identity.ts';
import { realtimeLimits } from './limits.ts';
import { createPresence, type Entry, type Presence } from './presence.ts';
import type { Rights } from './rights.ts';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';
import { formatTopic } from './topics.ts';

/** A private channel and a public one of the same name are two. */
export interface Place {
  readonly name: string;
  readonly isPrivate: boolean;
}

/** One socket in one channel. */
export interface Member extends Place {
  readonly version: Version;
  identity: Identity;
  rights: Rights;
  /** Whether it is told who comes and goes. */
  followsPresence: boolean;
  send(outgoing: Outgoing): void;
  /** Has these rights from now on; without one to read that it had, it ends. */
  regard(rights: Rights): void;
  /** Says why and takes it out of the channel; the client does not come back by itself. */
  end(reason: string): void;
}

interface Room {
  readonly members: Set<Member>;
  readonly presence: Presence;
  readonly messages: TokenBucket;
}

/** The channels that somebody of this process is in. */
export interface Rooms {
  enter(member: Member): void;
  leave(member: Member): void;
  /** False where the channel had too many messages of late; with nobody in it, there is none to count. */
  takeMessage(place: Place): boolean;
  /** To everybody who may read it; once each, but for `except`; on other servers too. */
  send(place: Place, message: Broadcast, except?: Member): void;
  /** The same in this process alone. */
  broadcast(place: Place, message: Broadcast, except?: Member): void;
  presenceOf(place: Place): Presence | undefined;
  /** Who is in a channel by this process. */
  listPresences(place: Place): readonly Entry[];
  /** Channels with somebody who is there by this process. */
  listPlaces(): Place[];
  /** Another server says who is in a channel there. */
  putPresences(server: string, place: Place, entries: readonly Entry[]): void;
  /** Another server is gone, and with it who was there. */
  dropServer(server: string): void;
  listMembers(): Member[];
  close(): void;
}

/** What other servers are told. */
interface Others {
  sent(place: Place, message: Broadcast): void;
  changed(place: Place): void;
}

export function createRooms(others: Others): Rooms {
  const rooms = new Map<string, Room>();
  const elsewhere = createElsewhere();
  const keyOf = ({ name, isPrivate }: Place) => `${isPrivate ? 'private' : 'public'} ${name}`;

  function openRoom(place: Place): Room {
    const members = new Set<Member>();
    const tell = (diff: string) => {
      const address = { joinRef: null, ref: null, topic: formatTopic(place.name) };
      const format = onceEach((version) => formatFrame(version, address, 'presence_diff', diff));
      for (const member of members) {
        if (member.followsPresence && member.rights.readPresence) sendTo(member, format);
      }
    };
    const presence = createPresence({
      tell,
      changed: () => others.changed(place),
      listElsewhere: () => elsewhere.list(keyOf(place)),
    });
    return { members, presence, messages: createTokenBucket(realtimeLimits.messagesOfChannel) };
  }

  function broadcast(place: Place, message: Broadcast, except?: Member): void {
    const room = rooms.get(keyOf(place));
    if (!room) return;
    const topic = formatTopic(place.name);
    const format = onceEach((version) => formatBroadcast(version, topic, message));
    for (const member of room.members) {
      if (member !== except && member.rights.readBroadcasts) sendTo(member, format);
    }
  }

  return {
    enter(member) {
      const key = keyOf(member);
      const room = rooms.get(key) ?? openRoom(member);
      rooms.set(key, room);
      room.members.add(member);
    },
    leave(member) {
      const key = keyOf(member);
      const room = rooms.get(key);
      if (!room?.members.delete(member)) return;
      room.presence.untrack(member);
      if (room.members.size > 0) return;
      room.presence.close();
      rooms.delete(key);
    },
    takeMessage: (place) => rooms.get(keyOf(place))?.messages.take() ?? true,
    send(place, message, except) {
      broadcast(place, message, except);
      others.sent(place, message);
    },
    broadcast,
    presenceOf: (place) => rooms.get(keyOf(place))?.presence,
    listPresences: (place) => rooms.get(keyOf(place))?.presence.list() ?? [],
    listPlaces: () =>
      [...rooms.values()].flatMap(({ members, presence }) =>
        presence.list().length > 0 ? [...members].slice(0, 1) : [],
      ),
    putPresences(server, place, entries) {
      const difference = elsewhere.put(server, keyOf(place), entries);
      rooms.get(keyOf(place))?.presence.differ(difference);
    },
    dropServer(server) {
      for (const [key, leaves] of elsewhere.drop(server)) {
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

/** However many read it, it is written once for each version. */
function onceEach(format: Format): Format {
  const written = new Map<Version, Outgoing | undefined>();
  return (version) => {
    if (!written.has(version)) written.set(version, format(version));
    return written.get(version);
  };
}

function sendTo(member: Member, format: Format): void {
  const outgoing = format(member.version);
  if (outgoing) member.send(outgoing);
}
