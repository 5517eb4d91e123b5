/**
 * What was logged and not shown whole, so that it can be opened later. The newest objects are held,
 * since a console shows what nobody else keeps; older ones only as long as the page itself has them.
 */
export interface Handles {
  /** A number that is never used again; `getter` makes it that of a property of the object. */
  keep(object: object, how?: { getter?: () => unknown; asObject?: boolean }): number;
  /** Undefined when the object has gone. */
  find(handle: number): Kept | undefined;
  forget(): void;
}

export interface Kept {
  object: object;
  /** To be called on the object. */
  getter: (() => unknown) | undefined;
  /** A node as an object, by `console.dir`, in place of what is in it. */
  asObject: boolean;
}

const held = 200;
const remembered = 2_000;

interface Entry extends Omit<Kept, 'object'> {
  /** Undefined for older ones. */
  object: object | undefined;
  weak: WeakRef<object>;
}

/** Numbers begin behind `first`. */
export function createHandles(first = 0): Handles {
  const entries = new Map<number, Entry>();
  let last = first;
  return {
    keep(object, { getter, asObject = false } = {}) {
      last += 1;
      entries.set(last, { object, weak: new WeakRef(object), getter, asObject });
      const older = entries.get(last - held);
      if (older) older.object = undefined;
      entries.delete(last - remembered);
      return last;
    },
    find(handle) {
      const entry = entries.get(handle);
      const object = entry?.weak.deref();
      return entry && object && { object, getter: entry.getter, asObject: entry.asObject };
    },
    forget: () => entries.clear(),
  };
}
