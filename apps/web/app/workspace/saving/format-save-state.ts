import { describeError } from '@vitrine/project';
import type { SaveState } from '@vitrine/collaboration';

/** Label of a save state. Tests and assistive technology rely on these texts. */
export function formatSaveState(state: SaveState): string {
  switch (state.status) {
    case 'draft-saved-locally':
      return 'Draft (this device only)';
    case 'saved':
      return 'Saved';
    case 'saving':
      return 'Saving…';
    case 'unsaved':
      return 'Unsaved changes';
    case 'offline':
      return 'Offline – saved on this device';
    case 'rejected':
      return `Couldn't save: ${describeError(state.code).message}`;
    case 'not-stored':
      return `Couldn't save: ${describeError('not_kept').message}`;
  }
}
