import { limits } from '@vitrine/project';

/**
 * Loads what other members saved, one request at a time, until the announced sequence number is
 * reached. An announcement only says that something was saved; a lost one is made up for by the
 * next. `refresh` gets the sequence number to reach, or nothing if it isn't known what was missed.
 */
export class SaveFollower {
  readonly #refresh: (upTo?: number) => Promise<void>;
  /** Sequence number to reach. Undefined when nothing is pending. */
  #wanted: number | undefined;
  #isAsking = false;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(refresh: (upTo?: number) => Promise<void>) {
    this.#refresh = refresh;
  }

  /** Requests updates up to this sequence number, or all updates without one. */
  follow(upTo = Infinity): void {
    this.#wanted = Math.max(this.#wanted ?? 0, upTo);
    if (!this.#isAsking && this.#timer === undefined) void this.#ask();
  }

  /** Requests all updates at once, skipping the retry delay. For when the connection is back. */
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
        // The error isn't reported here. The save state shows it as soon as there is something to
        // save.
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
