export { computeChecksum } from './checksum.ts';
export {
  openDraftStore,
  type Draft,
  type DraftStore,
  type NewDraft,
  type UnsavedChangesEntry,
} from './drafts.ts';
export { openDocument, type LiveDocument, type OpenDocumentOptions } from './live-document.ts';
export {
  areUnsavedChangesOpen,
  createUnsavedChanges,
  waitUntilUnsavedChangesClosed,
  type UnsavedChanges,
  type ReadOnlyProject,
} from './unsaved-changes.ts';
export { sendPendingUpdates } from './send-pending-updates.ts';
export { type DamagedUpdate } from './outbox.ts';
export { type SaveState } from './save-state.ts';
export {
  createNewProject,
  type AppendUpdatesArgs,
  type RpcContext,
  type LoadDocument,
  type NewProject,
  type SendUpdates,
} from './server-messages.ts';
