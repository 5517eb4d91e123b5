/**
 * A fair queue for work on a shared resource. Every item is charged to several keys, such as its
 * project and the client's address, and the next item is the one whose keys have had the least work
 * done. So neither many requests of one client nor many clients of one project delay the others,
 * whatever an item costs.
 *
 * This is start-time fair queuing (Goyal, Vin and Cheng, 1996) with costs known afterwards. Virtual
 * time also advances with the work done, divided among the clients that are active, so that a
 * stream of new clients cannot keep an earlier one waiting forever.
 */
interface FairQueueOptions<T> {
  /** Maximum number of items running at once. */
  readonly slots: number;
  /** Maximum number of running items with the same key; below `slots`, no key can occupy all slots. */
  readonly slotsPerKey: number;
  /** Maximum number of waiting items. Adding one more drops an item: see `add`. */
  readonly maxWaiting: number;
  /** Returns the keys an item is charged to. Called when it is added and when it could start. */
  getKeys(item: T): readonly string[];
}

interface FairQueue<T> {
  /** Adds an item. When too many wait, drops and returns the last item of the key with the most. */
  add(item: T): T | undefined;
  /** Removes a waiting item. An item that has started is not affected. */
  remove(item: T): void;
  /** Removes and returns the next item that may start. The caller calls `finish` when it is done. */
  take(): T | undefined;
  /** Frees the item's slot. `cost` is in any unit that all items share, such as milliseconds. */
  finish(item: T, cost: number): void;
  /** Removes and returns all waiting items. */
  clear(): T[];
}

/** Creates an empty fair queue. */
export function createFairQueue<T>(options: FairQueueOptions<T>): FairQueue<T> {
  const { slots, slotsPerKey, maxWaiting, getKeys } = options;
  const waiting: T[] = [];
  const running = new Map<T, { keys: readonly string[]; startTag: number }>();
  /** Virtual time up to which each key has used its share, by key. Entries in the past are deleted. */
  const finishTags = new Map<string, number>();
  let virtualTime = 0;

  const tagOf = (keys: readonly string[]) =>
    Math.max(virtualTime, ...keys.map((key) => finishTags.get(key) ?? 0));
  const keysRunning = () => [...running.values()].map(({ keys }) => keys);
  const charge = (keys: readonly string[], until: number) => {
    for (const key of keys) finishTags.set(key, Math.max(finishTags.get(key) ?? 0, until));
  };
  const removeWaiting = (item: T) => {
    const index = waiting.indexOf(item);
    if (index !== -1) waiting.splice(index, 1);
  };

  return {
    add(item) {
      waiting.push(item);
      if (waiting.length <= maxWaiting) return undefined;
      const counts = [...countKeys(waiting.map(getKeys))];
      const [most] = counts.reduce((a, b) => (b[1] > a[1] ? b : a));
      const dropped = waiting.findLast((other) => getKeys(other).includes(most)) ?? item;
      removeWaiting(dropped);
      return dropped;
    },
    remove: removeWaiting,
    take() {
      if (running.size >= slots) return undefined;
      const counts = countKeys(keysRunning());
      const [next] = waiting
        .map((item) => ({ item, keys: getKeys(item) }))
        .filter(({ keys }) => keys.every((key) => (counts.get(key) ?? 0) < slotsPerKey))
        .map((candidate) => ({ ...candidate, startTag: tagOf(candidate.keys) }))
        .sort((a, b) => a.startTag - b.startTag);
      if (next === undefined) return undefined;
      removeWaiting(next.item);
      running.set(next.item, next);
      virtualTime = Math.max(virtualTime, next.startTag);
      // Provisional charge until the cost is known: items with an equal tag go first.
      charge(next.keys, next.startTag + 1);
      return next.item;
    },
    finish(item, cost) {
      const done = running.get(item);
      if (done === undefined) return;
      const active = countKeys([...keysRunning(), ...waiting.map(getKeys)]).size;
      running.delete(item);
      virtualTime += cost / active;
      charge(done.keys, done.startTag + Math.max(1, cost));
      const isIdle = waiting.length === 0 && running.size === 0;
      for (const [key, tag] of finishTags) if (isIdle || tag <= virtualTime) finishTags.delete(key);
    },
    clear: () => waiting.splice(0),
  };
}

function countKeys(lists: readonly (readonly string[])[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of lists.flat()) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
