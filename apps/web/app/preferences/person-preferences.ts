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
  /** The preferences in the device's cookie. */
  readonly preferences: Preferences;
  readonly person: string | null;
  readonly calls: (person: string) => PreferenceCalls;
}

/** Debounce before changes are saved to the account. */
const debounceMs = 600;

/**
 * The preferences of the current user or visitor. A change applies immediately and is stored on the
 * device. It is saved to the user's account a moment later, or on the next visit if that fails.
 */
export class PersonPreferences {
  readonly now: Source<Preferences>;
  readonly #options: PersonPreferencesOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Number of changes, so that a late response doesn't overwrite newer ones. */
  #changes = 0;

  constructor(options: PersonPreferencesOptions) {
    this.#options = options;
    this.now = new Source(options.preferences);
  }

  /** Loads the keybindings of this device, then the account's preferences. Only in a browser. */
  start(signal: AbortSignal): void {
    const { person } = this.#options;
    const keys = readKeys(person);
    if (Object.keys(keys).length > 0) this.now.set({ ...this.now.get(), keys });
    signal.addEventListener('abort', () => {
      if (this.#timer === undefined) return;
      clearTimeout(this.#timer);
      void this.#save();
    });
    if (person !== null) whenIdle(() => !signal.aborted && void this.#sync(person, signal));
  }

  readonly change = (change: Partial<Preferences>): void => {
    const { person } = this.#options;
    this.#changes += 1;
    this.now.set({ ...this.now.get(), ...change });
    keepOnDevice(this.now.get(), person);
    if (person === null) return;
    rememberUnsent(person);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#save(), debounceMs);
  };

  /** Saves changes that the account doesn't have yet, or else loads the account's preferences. */
  async #sync(userId: string, signal: AbortSignal): Promise<void> {
    if (isUnsent(userId)) return this.#save();
    const changes = this.#changes;
    const saved = await this.#options.calls(userId).load();
    if (!saved || signal.aborted || changes !== this.#changes) return;
    this.now.set(saved);
    keepOnDevice(saved, userId);
  }

  async #save(): Promise<void> {
    const { person, calls } = this.#options;
    this.#timer = undefined;
    if (person === null) return;
    const changes = this.#changes;
    const isSaved = await calls(person).save(this.now.get());
    if (isSaved && changes === this.#changes) forgetUnsent(person);
  }
}
