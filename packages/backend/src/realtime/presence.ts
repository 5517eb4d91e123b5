import { randomBytes } from 'node:crypto';
import type { PresenceDiff } from './remote-presence.ts';
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
  applyRemoteDiff(difference: PresenceDiff): void;
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
  tell(diff: string): void;
  /** Called when the entries of this process change. */
  changed(): void;
  /** Returns the entries of other servers. */
  listElsewhere(): readonly PresenceEntry[];
}

export function createPresence({ tell, changed, listElsewhere }: PresenceOptions): ChannelPresence {
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
      tell(diff);
    }, realtimeLimits.presenceDiffMs);
  }

  return {
    track(owner, key, payload) {
      const before = entries.get(owner);
      const places = entries.size + listElsewhere().length;
      if (!before && places >= realtimeLimits.maxPresencesPerChannel) return false;
      const ref = randomBytes(9).toString('base64url');
      const previous = before === undefined ? {} : { phx_ref_prev: before.ref };
      const entry = { key, ref, meta: JSON.stringify({ ...payload, phx_ref: ref, ...previous }) };
      entries.set(owner, entry);
      joins.push(entry);
      if (before) leaves.push(before);
      scheduleDiff();
      changed();
      return true;
    },
    untrack(owner) {
      const entry = entries.get(owner);
      if (!entry) return;
      entries.delete(owner);
      leaves.push(entry);
      scheduleDiff();
      changed();
    },
    list: () => [...entries.values()],
    applyRemoteDiff(difference) {
      joins.push(...difference.joins);
      leaves.push(...difference.leaves);
      scheduleDiff();
    },
    formatState: () => formatEntries([...entries.values(), ...listElsewhere()]),
    close: () => clearTimeout(timer),
  };
}

/** Serialized by hand: an object would lose a key such as `__proto__`. */
function formatEntries(entries: readonly PresenceEntry[]): string {
  const metas = new Map<string, string[]>();
  for (const { key, meta } of entries) {
    const of = metas.get(key);
    if (of) of.push(meta);
    else metas.set(key, [meta]);
  }
  const parts = [...metas].map(([key, of]) => `${JSON.stringify(key)}:{"metas":[${of.join(',')}]}`);
  return `{${parts.join(',')}}`;
}
