import type { SaveState } from '@vitrine/collaboration';
import { Source } from './source.ts';

/** “Saving…” stands while one types: a draft is said to be kept when it is, and typing has rested. */
const restMs = 600;

/** The save state as a person is told it. */
export class ToldSaving {
  readonly state: Source<SaveState>;
  /** Until a draft that is kept by now is said to be. */
  #resting: ReturnType<typeof setTimeout> | undefined;

  constructor(initial: SaveState) {
    this.state = new Source(initial);
  }

  /** Never says that a draft is kept before it is; a little later will do, and stands still. */
  tell(state: SaveState): void {
    clearTimeout(this.#resting);
    if (state.status === 'kept-draft' && this.state.get().status === 'saving')
      this.#resting = setTimeout(() => this.state.set(state), restMs);
    else this.state.set(state);
  }

  close(): void {
    clearTimeout(this.#resting);
  }
}
