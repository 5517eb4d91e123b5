import type { ErrorCode } from '@vitrine/project';
import type { SendTrouble } from './server-link.ts';

/**
 * Where the user's edits are stored.
 *
 * - `kept-draft`: a draft, completely stored on this device
 * - `saving`: being written to the device or sent to the server
 * - `saved`: the server has acknowledged every edit
 * - `unsaved`: changes to a project that this user may not save to, stored on this device
 * - `offline`: every edit is on this device, and is sent when the server can be reached
 * - `refused`: the server rejected the save with an error code; every edit stays on this device
 * - `not-kept`: this device can't store edits, so those not on the server exist only in this tab
 */
export type SaveState =
  | { readonly status: 'kept-draft' | 'saving' | 'saved' | 'offline' | 'unsaved' | 'not-kept' }
  | { readonly status: 'refused'; readonly code: ErrorCode; readonly cause: unknown };

export interface SaveFacts {
  readonly kind: 'draft' | 'project';
  readonly isOutboxEmpty: boolean;
  readonly isWritten: boolean;
  readonly deviceWorks: boolean;
  readonly trouble: SendTrouble | undefined;
}

export function decideSaveState(facts: SaveFacts): SaveState {
  const { kind, isOutboxEmpty, isWritten, deviceWorks, trouble } = facts;
  if (kind === 'project' && isOutboxEmpty) return { status: 'saved' };
  if (!deviceWorks) return { status: 'not-kept' };
  if (kind === 'draft') return { status: isWritten ? 'kept-draft' : 'saving' };
  if (!trouble || !isWritten) return { status: 'saving' };
  if (trouble.kind === 'offline') return { status: 'offline' };
  return { status: 'refused', code: trouble.code, cause: trouble.cause };
}

export function isSameState(a: SaveState, b: SaveState): boolean {
  const code = (state: SaveState) => (state.status === 'refused' ? state.code : undefined);
  return a.status === b.status && code(a) === code(b);
}
