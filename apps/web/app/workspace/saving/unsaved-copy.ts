import type {
  LiveDocument,
  SaveState,
  UnsavedChanges,
  ReadOnlyProject,
} from '@vitrine/collaboration';
import { createDocumentFromFiles, VitrineError, type ProjectFiles } from '@vitrine/project';
import { loadWithRetries } from '@vitrine/project/retry-loading';
import * as Y from 'yjs';

/** The part of a live document that the workspace uses, also implemented for unsaved copies. */
export type DocumentSession = Pick<
  LiveDocument,
  | 'doc'
  | 'state'
  | 'subscribe'
  | 'getUndoManager'
  | 'unsavedId'
  | 'detachUnsavedChanges'
  | 'flush'
  | 'retry'
  | 'refresh'
  | 'close'
>;

function preload(): void {
  // If this fails, the first edit loads it.
  const call = () => void import('@vitrine/collaboration').catch(() => undefined);
  // Safari doesn't support `requestIdleCallback`.
  if ('requestIdleCallback' in window) requestIdleCallback(call, { timeout: 500 });
  else setTimeout(call, 500);
}

/**
 * Opens a project for a user who can't save it, from the files that came with the page. Edits are
 * stored on the device as unsaved changes to `unsavedOf`; without it they are only in this tab's
 * memory. The code that stores them is loaded after the first frame, or on the first edit.
 */
export function openUnsavedCopy(files: ProjectFiles, unsavedOf?: ReadOnlyProject): DocumentSession {
  const doc = createDocumentFromFiles(files);
  const listeners = new Set<() => void>();
  const undo = new Map<Y.Text, Y.UndoManager>();
  let state: SaveState = { status: 'saved' };
  let changes: UnsavedChanges | undefined;
  let loading: Promise<void> | undefined;
  const closing = new AbortController();

  function setState(next: SaveState): void {
    if (next.status === state.status) return;
    state = next;
    for (const listener of listeners) listener();
  }

  async function load(of: ReadOnlyProject, update: Uint8Array): Promise<void> {
    try {
      const { createUnsavedChanges } = await loadWithRetries(
        () => import('@vitrine/collaboration'),
        { signal: closing.signal, onFailure: () => setState({ status: 'not-stored' }) },
      );
      const loaded = createUnsavedChanges({
        doc,
        project: of,
        onChange: () => setState(loaded.state),
      });
      changes = loaded;
      setState({ status: 'unsaved' });
      // The first update contains the whole document, including edits made while loading.
      loaded.record(update);
    } catch {
      setState({ status: 'not-stored' });
    }
    loading = undefined;
  }

  doc.on('update', (update: Uint8Array) => {
    if (changes) return changes.record(update);
    setState({ status: unsavedOf && state.status !== 'not-stored' ? 'unsaved' : 'not-stored' });
    if (unsavedOf) loading ??= load(unsavedOf, update);
  });

  // Preloads before the first edit, which may happen offline.
  if (unsavedOf) preload();

  async function flush(): Promise<void> {
    if (state.status !== 'not-stored') await loading;
    if (changes) await changes.flush();
    else if (unsavedOf && state.status === 'not-stored') throw new VitrineError('not_kept');
  }

  return {
    doc,
    get state() {
      return state;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getUndoManager(text) {
      const known = undo.get(text) ?? new Y.UndoManager(text, { trackedOrigins: new Set() });
      undo.set(text, known);
      return known;
    },
    get unsavedId() {
      return changes?.id;
    },
    async detachUnsavedChanges() {
      await flush();
      return changes?.detach();
    },
    flush,
    retry: () => Promise.resolve(),
    refresh: () => Promise.resolve(),
    async close() {
      if (state.status === 'not-stored') closing.abort();
      await loading;
      // Changes that the device can't store are lost when the tab is closed. The save state says
      // so.
      await changes?.detach().catch(() => undefined);
      changes?.dispose();
      for (const manager of undo.values()) manager.destroy();
      doc.destroy();
    },
  };
}
