import { Source } from '../workspace/source.ts';
import { whenIdle } from '../workspace/when-idle.ts';
import {
  forgetUnsent,
  isUnsent,
  keepOnDevice,
  readKeys,
  rememberUnsent,
} from './device-preferences.ts';
import type { PreferenceCalls } from './preference-calls.ts';
import type { Preferences } from './preferences.ts';

export interface PersonPreferencesOptions {
  /** As the device’s cookie has them. */
  readonly preferences: Preferences;
  readonly person: string | null;
  readonly calls: (person: string) => PreferenceCalls;
}

/** Who drags a slider sends once. */
const restMs = 600;

/**
 * The preferences of who is here. A change is in effect at once and kept on the device; a person’s
 * account hears of it a moment later, or with the next visit where it is out of reach.
 */
export class PersonPreferences {
  readonly now: Source<Preferences>;
  readonly #options: PersonPreferencesOptions;
  #rest: ReturnType<typeof setTimeout> | undefined;
  /** Counts changes: an answer of the account does not undo what was chosen meanwhile. */
  #changes = 0;

  constructor(options: PersonPreferencesOptions) {
    this.#options = options;
    this.now = new Source(options.preferences);
  }

  /** In a browser: takes up the keys of this device, and what the account has. */
  start(signal: AbortSignal): void {
    const { person } = this.#options;
    const keys = readKeys(person);
    if (Object.keys(keys).length > 0) this.now.set({ ...this.now.get(), keys });
    signal.addEventListener('abort', () => {
      if (this.#rest === undefined) return;
      clearTimeout(this.#rest);
      void this.#send();
    });
    if (person !== null) whenIdle(() => !signal.aborted && void this.#meetAccount(person, signal));
  }

  readonly change = (change: Partial<Preferences>): void => {
    const { person } = this.#options;
    this.#changes += 1;
    this.now.set({ ...this.now.get(), ...change });
    keepOnDevice(this.now.get(), person);
    if (person === null) return;
    rememberUnsent(person);
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => void this.#send(), restMs);
  };

  async #meetAccount(person: string, signal: AbortSignal): Promise<void> {
    if (isUnsent(person)) return this.#send();
    const changes = this.#changes;
    const kept = await this.#options.calls(person).load();
    if (!kept || signal.aborted || changes !== this.#changes) return;
    this.now.set(kept);
    keepOnDevice(kept, person);
  }

  async #send(): Promise<void> {
    const { person, calls } = this.#options;
    this.#rest = undefined;
    if (person === null) return;
    const changes = this.#changes;
    const isSaved = await calls(person).save(this.now.get());
    if (isSaved && changes === this.#changes) forgetUnsent(person);
  }
}
