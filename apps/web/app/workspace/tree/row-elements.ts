/** Elements of the rows that a tree shows, by path. */
export class RowElements {
  readonly #elements = new Map<string, HTMLElement>();

  /** Registers the element of a row, as its `ref`. Returns a function that removes it. */
  add(path: string, element: HTMLElement): () => void {
    this.#elements.set(path, element);
    return () => {
      if (this.#elements.get(path) === element) this.#elements.delete(path);
    };
  }

  find(path: string): HTMLElement | undefined {
    return this.#elements.get(path);
  }

  /** Focuses a row, if it is shown. */
  focus(path: string): void {
    this.#elements.get(path)?.focus();
  }
}
