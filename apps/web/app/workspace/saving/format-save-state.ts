import { describeError } from '@vitrine/project';
import type { SaveState } from '@vitrine/collaboration';

/** Label of a save state. Tests and assistive technology rely on these texts. */
export function formatSaveState(state: SaveState): string {
  switch (state.status) {
    case 'kept-draft':
      return 'Draft (this device only)';
    case 'saved':
      return 'Saved';
    case 'saving':
      return 'Saving…';
    case 'unsaved':
      return 'Unsaved changes';
    case 'offline':
      return 'Offline – saved on this device';
    case 'refused':
      return `Couldn't save: ${describeError(state.code).message}`;
    case 'not-kept':
      return `Couldn't save: ${describeError('not_kept').message}`;
  }
}
