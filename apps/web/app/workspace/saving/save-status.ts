import type { SaveState } from '@vitrine/collaboration';
import { Timer } from '../../schedule.ts';
import { ValueStore } from '../value-store.ts';

/** Delay before a saved state is shown, so that “Saving…” doesn't flicker while the user types. */
const debounceMs = { 'draft-saved-locally': 600, saved: 250 };

/** Save state as shown to the user: switching from saving to saved is debounced. */
export class SaveStatus {
  readonly state: ValueStore<SaveState>;
  /** Pending switch to a saved state. */
  readonly #timer = new Timer();

  constructor(initial: SaveState) {
    this.state = new ValueStore(initial);
  }

  /** Updates the state. A saved state may be shown late, but never early. */
  update(state: SaveState): void {
    this.#timer.stop();
    const { status } = state;
    const isSaved = status === 'draft-saved-locally' || status === 'saved';
    if (isSaved && this.state.get().status === 'saving')
      this.#timer.start(debounceMs[status], () => this.state.set(state));
    else this.state.set(state);
  }

  close(): void {
    this.#timer.stop();
  }
}
