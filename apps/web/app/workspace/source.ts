import { useSyncExternalStore } from 'react';

/**
 * One value with one owner, which others may read and watch. The owner sets it; setting what is
 * there already tells nobody.
 */
export class Source<T> {
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

/** The value of a source in a component; the server renders what it holds at that moment. */
export function useSource<T>(source: Source<T>): T {
  return useSyncExternalStore(source.subscribe, source.get, source.get);
}
