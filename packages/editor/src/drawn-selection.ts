/**
 * Draws the selection only when needed. A single cursor is the browser's own: a drawn one is
 * measured and painted with each keystroke, which takes 2 ms of the frame on a slow core.
 * CodeMirror draws ranges and multiple cursors, which browsers cannot show, and the cursor in
 * bidirectional text, where browsers may place it differently.
 */
import { Compartment, EditorState, type Extension, type Transaction } from '@codemirror/state';
import { drawSelection, EditorView } from '@codemirror/view';
import { cursorBlink } from './cursor-blink.ts';
import { rightToLeft } from './text-direction.ts';

/** Characters around the cursor that are looked at: a line may be as long as its file. */
const searchRadius = 1_000;

const drawingCompartment = new Compartment();
const native: Extension = [];
const drawn: Extension = [drawSelection(), cursorBlink];

/** Draws ranges, multiple cursors and cursors in bidirectional text. */
export const drawnSelection: Extension = [
  drawingCompartment.of(native),
  EditorState.transactionExtender.of((transaction) => {
    const current = drawingCompartment.get(transaction.startState);
    const next = needsDrawing(transaction) ? drawn : native;
    return current === undefined || current === next
      ? null
      : { effects: drawingCompartment.reconfigure(next) };
  }),
  EditorView.editorAttributes.compute(
    ['selection'],
    ({ selection: { ranges } }): Record<string, string> =>
      ranges.every(({ empty }) => empty) ? {} : { class: 'cm-selecting' },
  ),
];

function needsDrawing({ newSelection: { ranges, main }, newDoc }: Transaction): boolean {
  if (ranges.length > 1 || !main.empty) return true;
  const { from, to } = newDoc.lineAt(main.head);
  const [start, end] = [
    Math.max(from, main.head - searchRadius),
    Math.min(to, main.head + searchRadius),
  ];
  return rightToLeft.test(newDoc.sliceString(start, end));
}
