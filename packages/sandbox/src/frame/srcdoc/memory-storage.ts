/** Replaces `localStorage` and `sessionStorage`, which throw in an opaque-origin document, with in-memory storage. */
export function provideMemoryStorage(): void {
  for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, { value: createMemoryStorage(), configurable: true });
}

/** A `Storage` in memory; `storage.name` reads and writes items too. */
function createMemoryStorage(): Storage {
  const items = new Map<string, string>();
  const methods = {
    getItem: (key: unknown) => items.get(String(key)) ?? null,
    setItem: (key: unknown, value: unknown) => void items.set(String(key), String(value)),
    removeItem: (key: unknown) => void items.delete(String(key)),
    clear: () => items.clear(),
    key: (index: number) => [...items.keys()][index] ?? null,
  };
  const isItem = (key: string | symbol): key is string =>
    typeof key === 'string' && key !== 'length' && !Object.hasOwn(methods, key);
  const storage: Storage = { ...methods, length: 0 };
  return new Proxy(storage, {
    get(target, key) {
      if (key === 'length') return items.size;
      const value: unknown = isItem(key) ? items.get(key) : Reflect.get(target, key);
      return value;
    },
    set(_, key, value) {
      items.set(String(key), String(value));
      return true;
    },
    deleteProperty(_, key) {
      items.delete(String(key));
      return true;
    },
    has: (target, key) => (isItem(key) ? items.has(key) : Reflect.has(target, key)),
    ownKeys: () => [...items.keys()],
    getOwnPropertyDescriptor: (_, key) =>
      isItem(key) && items.has(key)
        ? { value: items.get(key), enumerable: true, configurable: true, writable: true }
        : undefined,
  });
}
