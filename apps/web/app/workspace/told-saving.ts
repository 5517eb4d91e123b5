import type { SaveState } from '@vitrine/collaboration';
import { Source } from './source.ts';

/** Delay before a saved state is shown, so that “Saving…” doesn't flicker while the user types. */
const restMs = { 'kept-draft': 600, saved: 250 };

/** Save state as shown to the user: switching from saving to saved is debounced. */
export class ToldSaving {
  readonly state: Source<SaveState>;
  /** Pending switch to a saved state. */
  #resting: ReturnType<typeof setTimeout> | undefined;

  constructor(initial: SaveState) {
    this.state = new Source(initial);
  }

  /** Updates the state. A saved state may be shown late, but never early. */
  tell(state: SaveState): void {
    clearTimeout(this.#resting);
    const { status } = state;
    const isKept = status === 'kept-draft' || status === 'saved';
    if (isKept && this.state.get().status === 'saving')
      this.#resting = setTimeout(() => this.state.set(state), restMs[status]);
    else this.state.set(state);
  }

  close(): void {
    clearTimeout(this.#resting);
  }
}
