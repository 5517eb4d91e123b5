import type { Entry } from './presence.ts';

/** Changes of a presence list. */
export interface Difference {
  readonly joins: readonly Entry[];
  readonly leaves: readonly Entry[];
}

/**
 * Presence in channels of the other servers with this database, as each of them last reported it.
 */
export interface Elsewhere {
  list(channel: string): Entry[];
  put(server: string, channel: string, entries: readonly Entry[]): Difference;
  /** Removes a server. Returns its presence entries by channel. */
  drop(server: string): ReadonlyMap<string, readonly Entry[]>;
}

export function createElsewhere(): Elsewhere {
  const servers = new Map<string, Map<string, readonly Entry[]>>();
  return {
    list: (channel) => [...servers.values()].flatMap((channels) => channels.get(channel) ?? []),
    put(server, channel, entries) {
      const channels = servers.get(server) ?? new Map<string, readonly Entry[]>();
      servers.set(server, channels);
      const before = channels.get(channel) ?? [];
      if (entries.length > 0) channels.set(channel, entries);
      else channels.delete(channel);
      return { joins: excludeRefs(entries, before), leaves: excludeRefs(before, entries) };
    },
    drop(server) {
      const channels = servers.get(server) ?? new Map<string, readonly Entry[]>();
      servers.delete(server);
      return channels;
    },
  };
}

/** Entries of `entries` that `others` lacks. An updated entry has a new ref. */
function excludeRefs(entries: readonly Entry[], others: readonly Entry[]): Entry[] {
  const refs = new Set(others.map(({ ref }) => ref));
  return entries.filter(({ ref }) => !refs.has(ref));
}
