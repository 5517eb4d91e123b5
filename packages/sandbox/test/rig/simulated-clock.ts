/** Messages under way and timers, on a clock that only a test advances. */
export class SimulatedClock {
  /** Milliseconds. */
  now = 0;
  readonly #delays: readonly number[];
  #posted = 0;
  readonly #channels = new Map<string, { readonly due: number; readonly run: () => void }[]>();
  readonly #timers = new Map<
    string,
    { readonly due: number; readonly every: number | undefined; readonly run: () => void }
  >();

  /** @param delays Milliseconds that each message takes, in turn. */
  constructor(delays: readonly number[] = [1]) {
    this.#delays = delays;
  }

  /** Sends something that arrives after everything sent before on the same channel. */
  post(channel: string, run: () => void): void {
    const messages = this.#channels.get(channel) ?? [];
    const delay = this.#delays[this.#posted % this.#delays.length] ?? 0;
    this.#posted += 1;
    messages.push({ due: Math.max(this.now + delay, messages.at(-1)?.due ?? 0), run });
    this.#channels.set(channel, messages);
  }

  /** Sets a timer, which replaces the one of the same name; null clears it. Repeats with `every`. */
  setTimer(name: string, ms: number | null, run: () => void, every?: true): void {
    this.#timers.delete(name);
    if (ms !== null)
      this.#timers.set(name, { due: this.now + ms, every: every ? ms : undefined, run });
  }

  /** Lets the next message of a channel arrive now, before those of other channels. */
  deliver(choice: number): void {
    const channels = [...this.#channels.values()].filter(({ length }) => length > 0);
    channels[choice % Math.max(1, channels.length)]?.shift()?.run();
  }

  /** Advances the clock to the next timer, while nothing else arrives. Returns its name. */
  fireNextTimer(): string | undefined {
    const name = this.#findNextTimer();
    if (name !== undefined) this.#fire(name);
    return name;
  }

  /** Lets time pass: what is due arrives. */
  advance(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const timer = this.#findNextTimer();
      const timerDue = timer === undefined ? Infinity : (this.#timers.get(timer)?.due ?? Infinity);
      const [next] = [...this.#channels.values()]
        .filter(({ length }) => length > 0)
        .sort((a, b) => (a[0]?.due ?? 0) - (b[0]?.due ?? 0));
      const messageDue = next?.[0]?.due ?? Infinity;
      if (Math.min(timerDue, messageDue) > end) break;
      if (messageDue <= timerDue) {
        this.now = Math.max(this.now, messageDue);
        next?.shift()?.run();
      } else if (timer !== undefined) this.#fire(timer);
    }
    this.now = end;
  }

  #findNextTimer(): string | undefined {
    const [next] = [...this.#timers].sort(([, a], [, b]) => a.due - b.due);
    return next?.[0];
  }

  #fire(name: string): void {
    const timer = this.#timers.get(name);
    if (!timer) return;
    this.now = Math.max(this.now, timer.due);
    if (timer.every === undefined) this.#timers.delete(name);
    else this.#timers.set(name, { ...timer, due: this.now + timer.every });
    timer.run();
  }
}
