import type { ErrorCode } from '@vitrine/project';
import type { SendFailure } from './server-sync.ts';

/**
 * Save status of the user's edits. It is also the value of `data-status` attributes in the app.
 *
 * - `draft-saved-locally`: a draft, completely stored on this device
 * - `saving`: being written to the device or sent to the server
 * - `saved`: the server has acknowledged every edit
 * - `unsaved`: changes to a project that this user may not save to, stored on this device.
 *   Set by `UnsavedChanges`, never by `computeSaveState`
 * - `offline`: every edit is on this device, and is sent when the server can be reached
 * - `rejected`: the server rejected the save with an error code; every edit stays on this device
 * - `not-stored`: this device can't store edits, so those not on the server exist only in this tab
 */
export type SaveState =
  | {
      readonly status:
        'draft-saved-locally' | 'saving' | 'saved' | 'offline' | 'unsaved' | 'not-stored';
    }
  | { readonly status: 'rejected'; readonly code: ErrorCode; readonly cause: unknown };

interface SaveStateInput {
  readonly kind: 'draft' | 'project';
  readonly isOutboxEmpty: boolean;
  /** Whether every edit is in the database on this device. */
  readonly isStoredLocally: boolean;
  readonly canSaveLocally: boolean;
  readonly failure: SendFailure | undefined;
}

export function computeSaveState(input: SaveStateInput): SaveState {
  const { kind, isOutboxEmpty, isStoredLocally, canSaveLocally, failure } = input;
  if (kind === 'project' && isOutboxEmpty) return { status: 'saved' };
  if (!canSaveLocally) return { status: 'not-stored' };
  if (kind === 'draft') return { status: isStoredLocally ? 'draft-saved-locally' : 'saving' };
  if (!failure || !isStoredLocally) return { status: 'saving' };
  if (failure.kind === 'offline') return { status: 'offline' };
  return { status: 'rejected', code: failure.code, cause: failure.cause };
}

export function isSameSaveState(a: SaveState, b: SaveState): boolean {
  const code = (state: SaveState) => (state.status === 'rejected' ? state.code : undefined);
  return a.status === b.status && code(a) === code(b);
}
