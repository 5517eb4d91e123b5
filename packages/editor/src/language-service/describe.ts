import type { Extension } from '@codemirror/state';
import { activateHover, EditorView, hoverTooltip } from '@codemirror/view';
import { filePath } from '../understood.ts';
import { describedNode } from './code-nodes.ts';
import { findClient, type Clients } from './find-client.ts';

/** What the name under the pointer is, with its documentation. */
export function descriptions(clients: Clients): Extension {
  const hover = hoverTooltip(async (view, pos) => {
    // A tap is for the cursor; what it would show lies over the code that is tapped.
    if (touched.has(view)) return null;
    const { state } = view;
    const path = state.facet(filePath);
    const isPointed = view.contentDOM.matches(':hover');
    const found = await findClient(clients, state, pos)?.ask('description', { path, offset: pos });
    if (!found || view.state.doc !== state.doc) return null;
    // The pointer has left meanwhile: it would stand in the way of what it went to.
    if (isPointed && !view.contentDOM.matches(':hover')) return null;
    return {
      pos: found.from,
      end: found.to,
      above: true,
      create: () => ({ dom: describedNode(view.state, found) }),
    };
  });
  return [hover, pointers];
}

/** Views whose last pointer was a finger; browsers tell a tap as a move of the mouse too. */
const touched = new WeakSet<EditorView>();

const pointers = EditorView.domEventObservers({
  pointerdown: notePointer,
  pointermove: notePointer,
});

function notePointer({ pointerType }: PointerEvent, view: EditorView): void {
  if (pointerType === 'touch') touched.add(view);
  else touched.delete(view);
}

/** The same for the name at the cursor; it stays until the cursor or the text moves, or Escape. */
export function showDescription(view: EditorView): boolean {
  const { head } = view.state.selection.main;
  // A command means what it says, also after a tap.
  touched.delete(view);
  activateHover(view, head, 1, {
    until: ({ selection, docChanged }) => docChanged || selection !== undefined,
  });
  return true;
}
