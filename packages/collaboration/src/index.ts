export {
  openDraftStore,
  type Draft,
  type DraftStore,
  type NewDraft,
  type UnsavedDraft,
} from './drafts.ts';
export { openDocument, type LiveDocument, type OpenDocumentOptions } from './live-document.ts';
export {
  isUnsavedCopyInUse,
  createUnsavedChanges,
  whenUnsavedCopyUnused,
  type UnsavedChanges,
  type UnsavedProject,
} from './unsaved-changes.ts';
export { sendPendingUpdates } from './send-pending-updates.ts';
export { type DamagedUpdate } from './outbox.ts';
export { type SaveState } from './save-state.ts';
export {
  type AppendCall,
  type CallContext,
  type LoadDocument,
  type NewProject,
  type SendUpdates,
} from './server-messages.ts';
