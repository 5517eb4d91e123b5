import { randomBytes } from 'node:crypto';
import type { Difference } from './elsewhere.ts';
import { realtimeLimits } from './limits.ts';

/** Who is in one channel, by key; a key may stand for several, such as one person's tabs. */
export interface Presence {
  /** Says this of the owner from now on; false where the channel holds no more. */
  track(owner: object, key: string, payload: Record<string, unknown>): boolean;
  untrack(owner: object): void;
  /** Who is there by this process. */
  list(): readonly Entry[];
  /** By other servers. */
  differ(difference: Difference): void;
  /** Everybody, as the event `presence_state` has it: JSON. */
  formatState(): string;
  close(): void;
}

/** One who is there. */
export interface Entry {
  readonly key: string;
  readonly ref: string;
  /** What is told of it: JSON, with its ref. */
  readonly meta: string;
}

interface PresenceOptions {
  /** Gets what changed, as the event `presence_diff` has it: JSON. */
  tell(diff: string): void;
  /** Who is there by this process changed. */
  changed(): void;
  /** Who is there by other servers. */
  listElsewhere(): readonly Entry[];
}

export function createPresence({ tell, changed, listElsewhere }: PresenceOptions): Presence {
  const entries = new Map<object, Entry>();
  /** What changed since it was last told. */
  let joins: Entry[] = [];
  let leaves: Entry[] = [];
  let timer: NodeJS.Timeout | undefined;

  function tellSoon(): void {
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
      if (!before && places >= realtimeLimits.maxPresencesOfChannel) return false;
      const ref = randomBytes(9).toString('base64url');
      const previous = before === undefined ? {} : { phx_ref_prev: before.ref };
      const entry = { key, ref, meta: JSON.stringify({ ...payload, phx_ref: ref, ...previous }) };
      entries.set(owner, entry);
      joins.push(entry);
      if (before) leaves.push(before);
      tellSoon();
      changed();
      return true;
    },
    untrack(owner) {
      const entry = entries.get(owner);
      if (!entry) return;
      entries.delete(owner);
      leaves.push(entry);
      tellSoon();
      changed();
    },
    list: () => [...entries.values()],
    differ(difference) {
      joins.push(...difference.joins);
      leaves.push(...difference.leaves);
      tellSoon();
    },
    formatState: () => formatEntries([...entries.values(), ...listElsewhere()]),
    close: () => clearTimeout(timer),
  };
}

/** Written by hand: a key such as `__proto__` would be lost in an object. */
function formatEntries(entries: readonly Entry[]): string {
  const metas = new Map<string, string[]>();
  for (const { key, meta } of entries) {
    const of = metas.get(key);
    if (of) of.push(meta);
    else metas.set(key, [meta]);
  }
  const parts = [...metas].map(([key, of]) => `${JSON.stringify(key)}:{"metas":[${of.join(',')}]}`);
  return `{${parts.join(',')}}`;
}
