/** Calls all of its listeners for each event. */
export class Emitter<Event> {
  readonly #listeners = new Set<(event: Event) => void>();

  /** Returns a function that removes the listener. */
  subscribe(listener: (event: Event) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: Event): void {
    for (const listener of this.#listeners) listener(event);
  }

  clear(): void {
    this.#listeners.clear();
  }
}
