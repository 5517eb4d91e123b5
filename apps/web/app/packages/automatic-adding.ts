import type { ProjectPackages } from './project-packages.ts';

/** Someone who is still typing a name has written others by then: "re" is a package, too. */
const pauseMs = 1_500;

/** Adds what is imported and missing, for people who want that, once the typing has come to rest. */
export class AutomaticAdding {
  readonly #packages: ProjectPackages;
  /** Names that were tried; what cannot be had is not asked for again and again. */
  readonly #tried = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(packages: ProjectPackages) {
    this.#packages = packages;
  }

  /** Takes up what is missing at this moment; what was missing before it is forgotten. */
  consider(missing: readonly string[]): void {
    clearTimeout(this.#timer);
    const names = missing.filter((name) => !this.#tried.has(name));
    if (names.length > 0) this.#timer = setTimeout(() => this.#add(names), pauseMs);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #add(names: readonly string[]): void {
    for (const name of names) this.#tried.add(name);
    void this.#packages.add(names.map((name) => ({ name })));
  }
}
