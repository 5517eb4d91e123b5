import type * as Y from 'yjs';

/** Pause in editing after which the files are worth a version of their own, in milliseconds. */
const pauseMs = 10 * 60_000;

/**
 * Calls a function when the user edits a document after a pause: whether the tab stayed open, or was
 * closed in between. The function is called before the edit is sent to the server, so a version that
 * it saves has the files as they were during the pause.
 *
 * @param editedAt time of the last edit by anyone, in milliseconds
 * @returns a function that stops
 */
export function onResumedEditing(doc: Y.Doc, editedAt: number, call: () => void): () => void {
  let lastEditAt = editedAt;
  const onTransaction = ({ local, changed }: Y.Transaction) => {
    if (changed.size === 0) return;
    const isResumed = Date.now() - lastEditAt >= pauseMs;
    // Whoever else resumes editing saves the version.
    lastEditAt = Date.now();
    if (local && isResumed) call();
  };
  doc.on('afterTransaction', onTransaction);
  return () => doc.off('afterTransaction', onTransaction);
}
