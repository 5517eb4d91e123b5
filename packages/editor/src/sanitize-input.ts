import {
  EditorState,
  StateField,
  type ChangeSet,
  type Extension,
  type Text,
  type TransactionSpec,
} from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { ErrorCode } from '@vitrine/project/errors';
import { limits } from '@vitrine/project/limits';
import { byteLength } from '@vitrine/project/paths';
import { toPlainText } from '@vitrine/project/plain-text';
import { isRemoteChange } from './remote-changes.ts';

/**
 * Characters that the shared document or the database cannot store: NUL, carriage returns, lone
 * surrogates.
 */
const unsupportedCharacters = /[\0\r\p{Surrogate}]/u;

/** Size of the text in UTF-8 bytes. Counted once, then updated with each change. */
const byteSize = StateField.define<number>({
  create: ({ doc }) => countBytes(doc),
  update: (bytes, { changes, startState }) => bytes + byteDelta(changes, startState.doc),
});

/**
 * Restricts input to what every replica and the database can store, up to the file size limit. A
 * paste that would exceed it is rejected as a whole.
 * @param onReject Called with the reason of a rejected edit.
 * @param addFiles Takes files that aren't inserted; see `insertFilesAsText`.
 */
export function sanitizeInput(
  onReject: (code: ErrorCode) => void,
  addFiles?: AddTransferredFiles,
): Extension {
  return [
    // Offsets must equal those in the shared text, so line breaks are always one character.
    EditorState.lineSeparator.of('\n'),
    EditorView.clipboardInputFilter.of(toPlainText),
    insertFilesAsText(onReject, addFiles),
    byteSize,
    EditorState.transactionFilter.of(
      (transaction): TransactionSpec | readonly TransactionSpec[] => {
        if (!transaction.docChanged || isRemoteChange(transaction)) return transaction;
        const { startState, changes } = transaction;
        const delta = byteDelta(changes, startState.doc);
        if (delta > 0 && startState.field(byteSize) + delta > limits.fileMaxBytes) {
          onReject('file_too_large');
          return [];
        }
        return [transaction, ...sanitizeChanges(changes)];
      },
    ),
  ];
}

/**
 * Takes pasted or dropped files instead of inserting their text. Returns whether it does. `offset` is
 * that of the drop, or the end of the selection.
 */
type AddTransferredFiles = (
  transfer: DataTransfer,
  target: { readonly offset: number; readonly isPaste: boolean },
) => boolean;

/**
 * Inserts the text of pasted or dropped files. The selection is unchanged if there is nothing to
 * insert, such as with an image or an empty clipboard.
 * @param onReject Called with `file_too_large` or `file_binary` for each file that is not inserted.
 * @param addFiles Called first with files from outside, which it may take.
 */
export function insertFilesAsText(
  onReject: (code: ErrorCode) => void,
  addFiles: AddTransferredFiles = () => false,
): Extension {
  return EditorView.domEventHandlers({
    paste({ clipboardData }, view) {
      // Word processors and browsers add an image to copied text.
      if (!clipboardData || view.state.readOnly || readClipboardText(clipboardData) !== '')
        return false;
      const offset = view.state.selection.main.to;
      if (clipboardData.files.length > 0 && addFiles(clipboardData, { offset, isPaste: true }))
        return true;
      void insertFiles(view, [...clipboardData.files], undefined, onReject);
      return true;
    },
    drop({ dataTransfer, clientX, clientY }, view) {
      if (!dataTransfer || view.state.readOnly || dataTransfer.files.length === 0) return false;
      const at = view.posAtCoords({ x: clientX, y: clientY }, false);
      if (addFiles(dataTransfer, { offset: at, isPaste: false })) return true;
      void insertFiles(view, [...dataTransfer.files], at, onReject);
      return true;
    },
  });
}

/** The text that CodeMirror would paste. */
function readClipboardText(data: DataTransfer): string {
  return data.getData('text/plain') || data.getData('text/uri-list');
}

/** Inserts at an offset, or replaces the selection. */
async function insertFiles(
  view: EditorView,
  files: readonly File[],
  at: number | undefined,
  onReject: (code: ErrorCode) => void,
): Promise<void> {
  const texts: string[] = [];
  for (const file of files) {
    const text = await readText(file);
    if (typeof text === 'string') onReject(text);
    else texts.push(toPlainText(text.text));
  }
  const insert = texts.join('\n');
  if (insert === '') return;
  const { state } = view;
  if (at === undefined) {
    view.dispatch(state.replaceSelection(insert), {
      userEvent: 'input.paste',
      scrollIntoView: true,
    });
    return;
  }
  const from = Math.min(at, state.doc.length);
  view.focus();
  view.dispatch({
    changes: { from, insert },
    selection: { anchor: from, head: from + insert.length },
    userEvent: 'input.drop',
  });
}

/** Decodes a file as UTF-8. Anything else, or text with a NUL, counts as binary. */
async function readText(file: File): Promise<{ text: string } | 'file_binary' | 'file_too_large'> {
  if (file.type.startsWith('image/') && file.type !== 'image/svg+xml') return 'file_binary';
  if (file.size > limits.fileMaxBytes) return 'file_too_large';
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    return text.includes('\0') ? 'file_binary' : { text };
  } catch (error) {
    // The bytes are not UTF-8, or it is a folder, which cannot be read.
    if (error instanceof TypeError || error instanceof DOMException) return 'file_binary';
    throw error;
  }
}

function byteDelta(changes: ChangeSet, before: Text): number {
  let delta = 0;
  changes.iterChanges((fromA, toA, _fromB, _toB, inserted) => {
    delta += countBytes(inserted) - countBytes(before.slice(fromA, toA));
  });
  return delta;
}

function countBytes(text: Text): number {
  let bytes = text.lines - 1;
  for (const line of text.iterLines()) bytes += byteLength(line);
  return bytes;
}

/** Replaces unsupported characters one by one, so that selections keep their positions. */
function sanitizeChanges(changes: ChangeSet): TransactionSpec[] {
  const specs: TransactionSpec[] = [];
  changes.iterChanges((_fromA, _toA, fromB, toB, inserted) => {
    const text = inserted.sliceString(0, inserted.length, '\n');
    if (!unsupportedCharacters.test(text)) return;
    const insert = text.toWellFormed().replaceAll('\0', '\uFFFD').replaceAll('\r', '\n');
    specs.push({ changes: { from: fromB, to: toB, insert }, sequential: true });
  });
  return specs;
}
