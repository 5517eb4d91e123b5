import type { PresenceEntry, PresenceDiff } from './presence.ts';

/**
 * Presence in channels of the other servers with this database, as each of them last reported it.
 */
interface RemotePresence {
  list(channel: string): PresenceEntry[];
  replaceEntries(server: string, channel: string, entries: readonly PresenceEntry[]): PresenceDiff;
  /** Removes a server. Returns its presence entries by channel. */
  removeServer(server: string): ReadonlyMap<string, readonly PresenceEntry[]>;
}

export function createRemotePresence(): RemotePresence {
  const servers = new Map<string, Map<string, readonly PresenceEntry[]>>();
  return {
    list: (channel) => [...servers.values()].flatMap((channels) => channels.get(channel) ?? []),
    replaceEntries(server, channel, entries) {
      const channels = servers.get(server) ?? new Map<string, readonly PresenceEntry[]>();
      servers.set(server, channels);
      const previous = channels.get(channel) ?? [];
      if (entries.length > 0) channels.set(channel, entries);
      else channels.delete(channel);
      return { joins: excludeRefs(entries, previous), leaves: excludeRefs(previous, entries) };
    },
    removeServer(server) {
      const channels = servers.get(server) ?? new Map<string, readonly PresenceEntry[]>();
      servers.delete(server);
      return channels;
    },
  };
}

/** Entries of `entries` that `others` lacks. An updated entry has a new ref. */
function excludeRefs(
  entries: readonly PresenceEntry[],
  others: readonly PresenceEntry[],
): PresenceEntry[] {
  const refs = new Set(others.map(({ ref }) => ref));
  return entries.filter(({ ref }) => !refs.has(ref));
}
