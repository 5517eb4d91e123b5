import type { LiveDocument, SaveState } from '@vitrine/collaboration';
import { documentFromFiles } from '@vitrine/project';
import * as Y from 'yjs';

/** What the workspace needs of a text that is edited, wherever its edits go. */
export type Living = Pick<
  LiveDocument,
  'doc' | 'state' | 'on' | 'undoOf' | 'flush' | 'retry' | 'refresh' | 'close'
>;

/**
 * A project opened by someone who may not save it: edits stay in this tab until they are forked,
 * and the save state says so from the first one on.
 */
export function openReading(files: ReadonlyMap<string, string>): Living {
  const doc = documentFromFiles(files);
  const listeners = new Set<() => void>();
  const undo = new Map<Y.Text, Y.UndoManager>();
  let state: SaveState = { status: 'saved' };
  doc.on('update', () => {
    if (state.status === 'not-kept') return;
    state = { status: 'not-kept' };
    for (const listener of listeners) listener();
  });
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
    flush: () => Promise.resolve(),
    retry: () => Promise.resolve(),
    refresh: () => Promise.resolve(),
    async close() {
      for (const manager of undo.values()) manager.destroy();
      doc.destroy();
    },
  };
}
