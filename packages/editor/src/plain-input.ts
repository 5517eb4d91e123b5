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
import { plainText } from '@vitrine/project/plain-text';
import { isFromText } from './from-text.ts';

/** What a document cannot hold: NUL, carriage returns, and halves of a character. */
const unholdable = /[\0\r\p{Surrogate}]/u;

/** The size of the text in UTF-8 bytes, counted once and then by what each change takes and brings. */
const textBytes = StateField.define<number>({
  create: ({ doc }) => bytesOf(doc),
  update: (bytes, { changes, startState }) => bytes + growth(changes, startState.doc),
});

/**
 * Lets only into the text what every replica and the database can hold, and no more than a file may:
 * a paste that is too large is refused whole, and `refused` is told why.
 */
export function plainInput(refused: (code: ErrorCode) => void): Extension {
  return [
    // Offsets must agree with the shared text, where every character counts.
    EditorState.lineSeparator.of('\n'),
    EditorView.clipboardInputFilter.of(plainText),
    filesAsText(refused),
    textBytes,
    EditorState.transactionFilter.of(
      (transaction): TransactionSpec | readonly TransactionSpec[] => {
        if (!transaction.docChanged || isFromText(transaction)) return transaction;
        const { startState, changes } = transaction;
        const grown = growth(changes, startState.doc);
        if (grown > 0 && startState.field(textBytes) + grown > limits.fileMaxBytes) {
          refused('file_too_large');
          return [];
        }
        return [transaction, ...mended(changes)];
      },
    ),
  ];
}

/**
 * Inserts the text of files that are pasted or dropped. The selection stays as it is where nothing can
 * be inserted: an image, or a clipboard without text. `refused` gets `file_too_large` or `file_binary`.
 */
export function filesAsText(refused: (code: ErrorCode) => void): Extension {
  return EditorView.domEventHandlers({
    paste({ clipboardData }, view) {
      // Word processors and browsers put an image beside the text that is copied.
      if (!clipboardData || view.state.readOnly || textIn(clipboardData) !== '') return false;
      void insertFiles(view, [...clipboardData.files], undefined, refused);
      return true;
    },
    drop({ dataTransfer, clientX, clientY }, view) {
      if (!dataTransfer || view.state.readOnly || dataTransfer.files.length === 0) return false;
      const at = view.posAtCoords({ x: clientX, y: clientY }, false);
      void insertFiles(view, [...dataTransfer.files], at, refused);
      return true;
    },
  });
}

/** The text that the editor would paste. */
function textIn(data: DataTransfer): string {
  return data.getData('text/plain') || data.getData('text/uri-list');
}

/** In place of the selection, or at an offset. */
async function insertFiles(
  view: EditorView,
  files: readonly File[],
  at: number | undefined,
  refused: (code: ErrorCode) => void,
): Promise<void> {
  const texts: string[] = [];
  for (const file of files) {
    const text = await readText(file);
    if (typeof text === 'string') refused(text);
    else texts.push(plainText(text.text));
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

/** UTF-8; what is not, or holds a null character, is no text. */
async function readText(file: File): Promise<{ text: string } | 'file_binary' | 'file_too_large'> {
  if (file.type.startsWith('image/') && file.type !== 'image/svg+xml') return 'file_binary';
  if (file.size > limits.fileMaxBytes) return 'file_too_large';
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    return text.includes('\0') ? 'file_binary' : { text };
  } catch (error) {
    // Bytes that are no UTF-8, or a folder, which cannot be read.
    if (error instanceof TypeError || error instanceof DOMException) return 'file_binary';
    throw error;
  }
}

function growth(changes: ChangeSet, before: Text): number {
  let grown = 0;
  changes.iterChanges((fromA, toA, _fromB, _toB, inserted) => {
    grown += bytesOf(inserted) - bytesOf(before.slice(fromA, toA));
  });
  return grown;
}

function bytesOf(text: Text): number {
  let bytes = text.lines - 1;
  for (const line of text.iterLines()) bytes += byteLength(line);
  return bytes;
}

/** Replaces character by character, so that selections stay where they are. */
function mended(changes: ChangeSet): TransactionSpec[] {
  const specs: TransactionSpec[] = [];
  changes.iterChanges((_fromA, _toA, fromB, toB, inserted) => {
    const text = inserted.sliceString(0, inserted.length, '\n');
    if (!unholdable.test(text)) return;
    const insert = text.toWellFormed().replaceAll('\0', '\uFFFD').replaceAll('\r', '\n');
    specs.push({ changes: { from: fromB, to: toB, insert }, sequential: true });
  });
  return specs;
}
