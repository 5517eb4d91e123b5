import { limits } from '@vitrine/project';
import { Timer } from '../schedule.ts';

/**
 * Loads what other members saved, one request at a time, until the announced sequence number is
 * reached. An announcement only says that something was saved; a lost one is made up for by the
 * next. `refresh` gets the sequence number to reach, or nothing if it isn't known what was missed.
 */
export class RemoteSaves {
  readonly #refresh: (upTo?: number) => Promise<void>;
  /** Sequence number to reach. Undefined when nothing is pending. */
  #targetSeq: number | undefined;
  #isFetching = false;
  #failures = 0;
  readonly #timer = new Timer();
  #isClosed = false;

  constructor(refresh: (upTo?: number) => Promise<void>) {
    this.#refresh = refresh;
  }

  /** Requests updates up to this sequence number, or all updates without one. */
  request(upTo = Infinity): void {
    this.#targetSeq = Math.max(this.#targetSeq ?? 0, upTo);
    if (!this.#isFetching && !this.#timer.isRunning) void this.#fetch();
  }

  /** Requests all updates at once, skipping the retry delay. For when the connection is back. */
  requestNow(): void {
    this.#timer.stop();
    this.#failures = 0;
    this.request();
  }

  close(): void {
    this.#isClosed = true;
    this.#timer.stop();
  }

  async #fetch(): Promise<void> {
    this.#isFetching = true;
    while (this.#targetSeq !== undefined && !this.#timer.isRunning && !this.#isClosed) {
      const upTo = this.#targetSeq;
      this.#targetSeq = undefined;
      try {
        await (upTo === Infinity ? this.#refresh() : this.#refresh(upTo));
        this.#failures = 0;
      } catch {
        // The error isn't reported here. The save state shows it as soon as there is something to
        // save.
        this.#targetSeq = Math.max(this.#targetSeq ?? 0, upTo);
        this.#scheduleRetry();
      }
    }
    this.#isFetching = false;
  }

  #scheduleRetry(): void {
    if (this.#isClosed) return;
    const seconds = limits.retrySeconds[this.#failures] ?? limits.retrySeconds.at(-1) ?? 10;
    this.#failures++;
    this.#timer.start(seconds * 1_000, () => {
      if (!this.#isFetching) void this.#fetch();
    });
  }
}
