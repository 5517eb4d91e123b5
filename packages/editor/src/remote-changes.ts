import { Annotation, Transaction } from '@codemirror/state';

/** Marks transactions that apply changes of the shared text to the editor state. */
const fromSharedText = Annotation.define<boolean>();
/** Annotations of such transactions. They also count as remote to CodeMirror's history. */
export const remoteChangeAnnotations = [fromSharedText.of(true), Transaction.remote.of(true)];

/** True for transactions that bring changes of the shared text into the editor state. */
export function isRemoteChange(transaction: Transaction): boolean {
  return transaction.annotation(fromSharedText) === true;
}
