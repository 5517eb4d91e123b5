export {
  openDraftStore,
  type Draft,
  type DraftStore,
  type NewDraft,
  type UnsavedDraft,
} from './drafts.ts';
export { openDocument, type LiveDocument, type OpenOptions } from './live-document.ts';
export {
  isInUse,
  keepUnsaved,
  whenUnused,
  type UnsavedChanges,
  type UnsavedOf,
} from './unsaved.ts';
export { sendUnsent } from './unsent.ts';
export { type DamagedUpdate } from './outbox.ts';
export { type SaveState } from './save-state.ts';
export {
  type AppendCall,
  type CallContext,
  type LoadDocument,
  type NewProject,
  type SendUpdates,
} from './wire.ts';
