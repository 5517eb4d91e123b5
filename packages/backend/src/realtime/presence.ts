import { randomBytes } from 'node:crypto';
import { realtimeLimits } from './limits.ts';

/**
 * Presence of one channel, by key. A key may have several entries, such as the tabs of one user.
 */
export interface ChannelPresence {
  /** Sets the entry of `owner`; false when the channel is full. */
  track(owner: object, key: string, payload: Record<string, unknown>): boolean;
  untrack(owner: object): void;
  /** Entries of this process. */
  list(): readonly PresenceEntry[];
  /** Adds a change of other servers' entries to the next message. */
  applyRemoteDiff(diff: PresenceDiff): void;
  /** All entries as the payload of `presence_state`: JSON. */
  formatState(): string;
  close(): void;
}

/** A presence entry. */
export interface PresenceEntry {
  readonly key: string;
  readonly ref: string;
  /** Public state with its ref: JSON. */
  readonly meta: string;
}

interface PresenceOptions {
  /** Called with the payload of `presence_diff`: JSON. */
  broadcastDiff(diff: string): void;
  /** Called when the entries of this process change. */
  onChange(): void;
  /** Returns the entries of other servers. */
  listRemote(): readonly PresenceEntry[];
}

export function createPresence({
  broadcastDiff,
  onChange,
  listRemote,
}: PresenceOptions): ChannelPresence {
  const entries = new Map<object, PresenceEntry>();
  /** Changes since the last message. */
  let joins: PresenceEntry[] = [];
  let leaves: PresenceEntry[] = [];
  let timer: NodeJS.Timeout | undefined;

  function scheduleDiff(): void {
    timer ??= setTimeout(() => {
      const diff = `{"joins":${formatEntries(joins)},"leaves":${formatEntries(leaves)}}`;
      joins = [];
      leaves = [];
      timer = undefined;
      broadcastDiff(diff);
    }, realtimeLimits.presenceDiffMs);
  }

  return {
    track(owner, key, payload) {
      const previousEntry = entries.get(owner);
      const entryCount = entries.size + listRemote().length;
      if (!previousEntry && entryCount >= realtimeLimits.maxPresencesPerChannel) return false;
      const ref = randomBytes(9).toString('base64url');
      const previousRef = previousEntry === undefined ? {} : { phx_ref_prev: previousEntry.ref };
      const entry = {
        key,
        ref,
        meta: JSON.stringify({ ...payload, phx_ref: ref, ...previousRef }),
      };
      entries.set(owner, entry);
      joins.push(entry);
      if (previousEntry) leaves.push(previousEntry);
      scheduleDiff();
      onChange();
      return true;
    },
    untrack(owner) {
      const entry = entries.get(owner);
      if (!entry) return;
      entries.delete(owner);
      leaves.push(entry);
      scheduleDiff();
      onChange();
    },
    list: () => [...entries.values()],
    applyRemoteDiff(diff) {
      joins.push(...diff.joins);
      leaves.push(...diff.leaves);
      scheduleDiff();
    },
    formatState: () => formatEntries([...entries.values(), ...listRemote()]),
    close: () => clearTimeout(timer),
  };
}

/** Serialized by hand: an object would lose a key such as `__proto__`. */
function formatEntries(entries: readonly PresenceEntry[]): string {
  const metasByKey = new Map<string, string[]>();
  for (const { key, meta } of entries) {
    const metas = metasByKey.get(key);
    if (metas) metas.push(meta);
    else metasByKey.set(key, [meta]);
  }
  const parts = [...metasByKey].map(
    ([key, metas]) => `${JSON.stringify(key)}:{"metas":[${metas.join(',')}]}`,
  );
  return `{${parts.join(',')}}`;
}

/** Changes of a presence list. */
export interface PresenceDiff {
  readonly joins: readonly PresenceEntry[];
  readonly leaves: readonly PresenceEntry[];
}
