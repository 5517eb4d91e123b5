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
