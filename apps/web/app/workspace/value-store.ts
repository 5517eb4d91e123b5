import { useSyncExternalStore } from 'react';

/**
 * An observable value with one owner, who sets it. Setting an identical value doesn't notify
 * subscribers.
 */
export class ValueStore<T> {
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  readonly get = (): T => this.#value;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of this.#listeners) listener();
  }
}

/** Subscribes a component to a value. The server renders the current value. */
export function useStore<T>(source: ValueStore<T>): T {
  return useSyncExternalStore(source.subscribe, source.get, source.get);
}
