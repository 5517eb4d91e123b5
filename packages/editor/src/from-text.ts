import { Annotation, Transaction } from '@codemirror/state';

/** Marks transactions that bring in what the text already holds. */
const fromText = Annotation.define<boolean>();
/** Of somebody else's making, besides. */
export const bringsIn = [fromText.of(true), Transaction.remote.of(true)];

/** True for the transactions that `SharedFile` makes of changes in its text. */
export function isFromText(transaction: Transaction): boolean {
  return transaction.annotation(fromText) === true;
}
