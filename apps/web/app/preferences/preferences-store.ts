import { ValueStore } from '../workspace/value-store.ts';
import { Timer, whenIdle } from '../schedule.ts';
import {
  clearUnsavedMark,
  isMarkedUnsaved,
  storePreferences,
  loadKeybindings,
  markUnsaved,
} from './device-preferences.ts';
import type { PreferencesApi } from './preferences-api.ts';
import type { Preferences } from './preferences.ts';

interface PreferencesStoreOptions {
  /** The preferences in the device's cookie. */
  readonly preferences: Preferences;
  readonly userId: string | null;
  readonly createApi: (person: string) => PreferencesApi;
}

/** Debounce before changes are saved to the account. */
const debounceMs = 600;

/**
 * The preferences of the current user or visitor. A change applies immediately and is stored on the
 * device. It is saved to the user's account a moment later, or on the next visit if that fails.
 */
export class PreferencesStore {
  readonly current: ValueStore<Preferences>;
  readonly #options: PreferencesStoreOptions;
  readonly #timer = new Timer();
  /** Number of changes, so that a late response doesn't overwrite newer ones. */
  #changes = 0;

  constructor(options: PreferencesStoreOptions) {
    this.#options = options;
    this.current = new ValueStore(options.preferences);
  }

  /** Loads the keybindings of this device, then the account's preferences. Only in a browser. */
  start(signal: AbortSignal): void {
    const { userId: person } = this.#options;
    const keys = loadKeybindings(person);
    if (Object.keys(keys).length > 0) this.current.set({ ...this.current.get(), keys });
    signal.addEventListener('abort', () => {
      if (!this.#timer.isRunning) return;
      this.#timer.stop();
      void this.#save();
    });
    if (person !== null) whenIdle(() => !signal.aborted && void this.#sync(person, signal));
  }

  readonly change = (change: Partial<Preferences>): void => {
    const { userId: person } = this.#options;
    this.#changes += 1;
    this.current.set({ ...this.current.get(), ...change });
    storePreferences(this.current.get(), person);
    if (person === null) return;
    markUnsaved(person);
    this.#timer.start(debounceMs, () => void this.#save());
  };

  /** Saves changes that the account doesn't have yet, or else loads the account's preferences. */
  async #sync(userId: string, signal: AbortSignal): Promise<void> {
    if (isMarkedUnsaved(userId)) return this.#save();
    const changes = this.#changes;
    const saved = await this.#options.createApi(userId).load();
    if (!saved || signal.aborted || changes !== this.#changes) return;
    this.current.set(saved);
    storePreferences(saved, userId);
  }

  async #save(): Promise<void> {
    const { userId: person, createApi } = this.#options;
    if (person === null) return;
    const changes = this.#changes;
    const isSaved = await createApi(person).save(this.current.get());
    if (isSaved && changes === this.#changes) clearUnsavedMark(person);
  }
}
