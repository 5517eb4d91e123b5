import { randomBytes } from 'node:crypto';
import { realtimeLimits } from './limits.ts';

/** Who is in one channel, by key; a key may stand for several, such as one person's tabs. */
export interface Presence {
  /** Says this of the owner from now on; false where the channel holds no more. */
  track(owner: object, key: string, payload: Record<string, unknown>): boolean;
  untrack(owner: object): void;
  /** Everybody, as the event `presence_state` has it: JSON. */
  formatState(): string;
  close(): void;
}

interface Entry {
  key: string;
  ref: string;
  /** What is told of it: JSON, with its ref. */
  meta: string;
}

/** `tell` gets what changed, as the event `presence_diff` has it: JSON. */
export function createPresence(tell: (diff: string) => void): Presence {
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
      if (!before && entries.size >= realtimeLimits.maxPresencesOfChannel) return false;
      const ref = randomBytes(9).toString('base64url');
      const previous = before === undefined ? {} : { phx_ref_prev: before.ref };
      const entry = { key, ref, meta: JSON.stringify({ ...payload, phx_ref: ref, ...previous }) };
      entries.set(owner, entry);
      joins.push(entry);
      if (before) leaves.push(before);
      tellSoon();
      return true;
    },
    untrack(owner) {
      const entry = entries.get(owner);
      if (!entry) return;
      entries.delete(owner);
      leaves.push(entry);
      tellSoon();
    },
    formatState: () => formatEntries([...entries.values()]),
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
