import type { LiveDocument, SaveState, UnsavedChanges, UnsavedOf } from '@vitrine/collaboration';
import { documentFromFiles, VitrineError } from '@vitrine/project';
import * as Y from 'yjs';

/** What the workspace needs of a text that is edited, wherever its edits go. */
export type Living = Pick<
  LiveDocument,
  | 'doc'
  | 'state'
  | 'on'
  | 'undoOf'
  | 'unsavedId'
  | 'detachUnsaved'
  | 'flush'
  | 'retry'
  | 'refresh'
  | 'close'
>;

function preload(): void {
  const call = () => void import('@vitrine/collaboration').catch(() => undefined);
  // Safari has none.
  if ('requestIdleCallback' in window) requestIdleCallback(call, { timeout: 500 });
  else setTimeout(call, 500);
}

/**
 * A project opened by someone who may not save it, as the page brought it along. Edits are kept on
 * the device as unsaved changes to `unsavedOf`; without it they stay in this tab. The code that keeps
 * them is loaded behind the first frame, or with the first edit.
 */
export function openReading(files: ReadonlyMap<string, string>, unsavedOf?: UnsavedOf): Living {
  const doc = documentFromFiles(files);
  const listeners = new Set<() => void>();
  const undo = new Map<Y.Text, Y.UndoManager>();
  let state: SaveState = { status: 'saved' };
  let changes: UnsavedChanges | undefined;
  let loading: Promise<void> | undefined;

  function tell(next: SaveState): void {
    if (next.status === state.status) return;
    state = next;
    for (const listener of listeners) listener();
  }

  async function load(of: UnsavedOf, update: Uint8Array): Promise<void> {
    try {
      const { keepUnsaved } = await import('@vitrine/collaboration');
      const loaded = keepUnsaved({ doc, of, changed: () => tell(loaded.state) });
      changes = loaded;
      // It begins with the whole document, so that what was typed until now is in it.
      loaded.record(update);
    } catch {
      // Our code cannot be had now; the next edit tries again.
      tell({ status: 'not-kept' });
    }
    loading = undefined;
  }

  doc.on('update', (update: Uint8Array) => {
    if (changes) return changes.record(update);
    tell({ status: unsavedOf && state.status !== 'not-kept' ? 'unsaved' : 'not-kept' });
    if (unsavedOf) loading ??= load(unsavedOf, update);
  });

  // Ahead of the first edit: were it to come when the connection has gone, nothing would keep it.
  if (unsavedOf) preload();

  async function flush(): Promise<void> {
    await loading;
    if (changes) await changes.flush();
    else if (unsavedOf && state.status === 'not-kept') throw new VitrineError('not_kept');
  }

  return {
    doc,
    get state() {
      return state;
    },
    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    undoOf(text) {
      const known = undo.get(text) ?? new Y.UndoManager(text, { trackedOrigins: new Set() });
      undo.set(text, known);
      return known;
    },
    get unsavedId() {
      return changes?.id;
    },
    async detachUnsaved() {
      await flush();
      return changes?.detach();
    },
    flush,
    retry: () => Promise.resolve(),
    refresh: () => Promise.resolve(),
    async close() {
      await loading;
      // What the device doesn't take can't be kept after this tab is closed; the save state says so.
      await changes?.detach().catch(() => undefined);
      changes?.dispose();
      for (const manager of undo.values()) manager.destroy();
      doc.destroy();
    },
  };
}
