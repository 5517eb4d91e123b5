import type { SaveState } from '@vitrine/collaboration';
import { Source } from './source.ts';

/** “Saving…” stands while one types: that all is kept or saved is said when it is, and typing has rested. */
const restMs = { 'kept-draft': 600, saved: 250 };

/** The save state as a person is told it. */
export class ToldSaving {
  readonly state: Source<SaveState>;
  /** Until what is kept by now is said to be. */
  #resting: ReturnType<typeof setTimeout> | undefined;

  constructor(initial: SaveState) {
    this.state = new Source(initial);
  }

  /** Never says that something is kept before it is; a little later will do, and stands still. */
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
