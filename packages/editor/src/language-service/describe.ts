import type { Extension } from '@codemirror/state';
import { activateHover, hoverTooltip, type EditorView } from '@codemirror/view';
import { filePath } from '../understood.ts';
import { describedNode } from './code-nodes.ts';
import { findClient, type Clients } from './find-client.ts';

/** What the name under the pointer is, with its documentation. */
export function descriptions(clients: Clients): Extension {
  return hoverTooltip(async (view, pos) => {
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
}

/** The same for the name at the cursor; it stays until the cursor or the text moves, or Escape. */
export function showDescription(view: EditorView): boolean {
  const { head } = view.state.selection.main;
  activateHover(view, head, 1, {
    until: ({ selection, docChanged }) => docChanged || selection !== undefined,
  });
  return true;
}
