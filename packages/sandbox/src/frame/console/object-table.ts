/**
 * Logged objects that were not sent completely, by object id, so that they can be expanded later. The newest
 * are held strongly, because the page may have dropped them; older ones weakly.
 */
export interface ObjectTable {
  /** Returns a new id for the object, or with `getter` for a property of it. Ids are never reused. */
  add(object: object, how?: { getter?: () => unknown; asObject?: boolean }): number;
  /** Undefined if the object has been garbage collected or released. */
  find(handle: number): TableEntry | undefined;
  clear(): void;
}

export interface TableEntry {
  object: object;
  /** Called on the object. */
  getter: (() => unknown) | undefined;
  /** Expands a DOM node by its properties, as `console.dir` does, instead of its children. */
  asObject: boolean;
}

const maxStrong = 200;
const maxEntries = 2_000;

interface Entry extends Omit<TableEntry, 'object'> {
  /** Undefined once the entry is held weakly. */
  object: object | undefined;
  weak: WeakRef<object>;
}

/** Creates an empty table; ids start after `first`. */
export function createObjectTable(first = 0): ObjectTable {
  const entries = new Map<number, Entry>();
  let last = first;
  return {
    add(object, { getter, asObject = false } = {}) {
      last += 1;
      entries.set(last, { object, weak: new WeakRef(object), getter, asObject });
      const older = entries.get(last - maxStrong);
      if (older) older.object = undefined;
      entries.delete(last - maxEntries);
      return last;
    },
    find(handle) {
      const entry = entries.get(handle);
      const object = entry?.weak.deref();
      return entry && object && { object, getter: entry.getter, asObject: entry.asObject };
    },
    clear: () => entries.clear(),
  };
}
