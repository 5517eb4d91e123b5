import {
  EditorState,
  type ChangeSet,
  type Extension,
  type TransactionSpec,
} from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { limits, plainText, type ErrorCode } from '@vitrine/project';
import { isFromText } from './shared-file.ts';

/** What a document cannot hold: NUL, carriage returns, and halves of a character. */
const unholdable = /[\0\r\p{Surrogate}]/u;

/**
 * Lets only into the text what every replica and the database can hold, and no more than a file may:
 * a paste that is too large is refused whole, and `refused` is told why.
 */
export function plainInput(refused: (code: ErrorCode) => void): Extension {
  return [
    // Offsets must agree with the shared text, where every character counts.
    EditorState.lineSeparator.of('\n'),
    EditorView.clipboardInputFilter.of(plainText),
    EditorState.transactionFilter.of(
      (transaction): TransactionSpec | readonly TransactionSpec[] => {
        if (!transaction.docChanged || isFromText(transaction)) return transaction;
        const { startState, newDoc } = transaction;
        if (newDoc.length > limits.fileMaxBytes && newDoc.length > startState.doc.length) {
          refused('file_too_large');
          return [];
        }
        return [transaction, ...mended(transaction.changes)];
      },
    ),
  ];
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
