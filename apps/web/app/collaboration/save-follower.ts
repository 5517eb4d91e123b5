import { limits } from '@vitrine/project';

/**
 * Asks for what others saved, one call at a time, until it has what it was told of: a notice only
 * says that there is something, and one that never came is made up for by the next. `refresh` is
 * given the number to reach, or nothing where it is not known what was missed.
 */
export class SaveFollower {
  readonly #refresh: (upTo?: number) => Promise<void>;
  /** The number to reach; undefined while nothing is wanted. */
  #wanted: number | undefined;
  #isAsking = false;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(refresh: (upTo?: number) => Promise<void>) {
    this.#refresh = refresh;
  }

  /** There is a save of this number, or, without one, there may be some. */
  follow(upTo = Infinity): void {
    this.#wanted = Math.max(this.#wanted ?? 0, upTo);
    if (!this.#isAsking && this.#timer === undefined) void this.#ask();
  }

  /** As `follow`, without waiting for the pause after a failure: the connection is back. */
  followNow(): void {
    this.#clearTimer();
    this.#failures = 0;
    this.follow();
  }

  close(): void {
    this.#isClosed = true;
    this.#clearTimer();
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    while (this.#wanted !== undefined && this.#timer === undefined && !this.#isClosed) {
      const upTo = this.#wanted;
      this.#wanted = undefined;
      try {
        await (upTo === Infinity ? this.#refresh() : this.#refresh(upTo));
        this.#failures = 0;
      } catch {
        // Whatever it was is told by the save state as soon as there is something to save.
        this.#wanted = Math.max(this.#wanted ?? 0, upTo);
        this.#askLater();
      }
    }
    this.#isAsking = false;
  }

  #askLater(): void {
    if (this.#isClosed) return;
    const seconds = limits.retrySeconds[this.#failures] ?? limits.retrySeconds.at(-1) ?? 10;
    this.#failures++;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (!this.#isAsking) void this.#ask();
    }, seconds * 1_000);
  }

  #clearTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
