/**
 * A cursor alone is the browser's own: one that is drawn is measured and painted with each letter, two
 * milliseconds of its frame on a slow core. What is selected and several cursors are drawn, which no
 * browser shows so, and a cursor in text that runs both ways, where a browser may show it elsewhere.
 */
import { Compartment, EditorState, type Extension, type Transaction } from '@codemirror/state';
import { drawSelection, EditorView } from '@codemirror/view';
import { cursorBlink } from './cursor-blink.ts';
import { rightToLeft } from './text-direction.ts';

/** So far from the cursor a line is looked at: one may be as long as its file. */
const nearby = 1_000;

const drawing = new Compartment();
const undrawn: Extension = [];
const drawn: Extension = [drawSelection(), cursorBlink];

export const drawnSelection: Extension = [
  drawing.of(undrawn),
  EditorState.transactionExtender.of((transaction) => {
    const now = drawing.get(transaction.startState);
    const next = isDrawn(transaction) ? drawn : undrawn;
    return now === undefined || now === next ? null : { effects: drawing.reconfigure(next) };
  }),
  EditorView.editorAttributes.compute(
    ['selection'],
    ({ selection: { ranges } }): Record<string, string> =>
      ranges.every(({ empty }) => empty) ? {} : { class: 'cm-selecting' },
  ),
];

function isDrawn({ newSelection: { ranges, main }, newDoc }: Transaction): boolean {
  if (ranges.length > 1 || !main.empty) return true;
  const { from, to } = newDoc.lineAt(main.head);
  const [start, end] = [Math.max(from, main.head - nearby), Math.min(to, main.head + nearby)];
  return rightToLeft.test(newDoc.sliceString(start, end));
}
