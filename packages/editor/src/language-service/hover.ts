import type { Extension } from '@codemirror/state';
import { activateHover, EditorView, hoverTooltip } from '@codemirror/view';
import { filePath } from '../language-facets.ts';
import { renderDocumentation } from './render-documentation.ts';
import { findClientAt, type LanguageClients } from './language-clients.ts';

/** Shows type information and documentation of the name under the pointer. */
export function hoverDocumentation(clients: LanguageClients): Extension {
  const hover = hoverTooltip(async (view, pos) => {
    // Taps place the cursor; a tooltip would cover the tapped code.
    if (touchedViews.has(view)) return null;
    const { state } = view;
    const path = state.facet(filePath);
    const isHovered = view.contentDOM.matches(':hover');
    const description = await findClientAt(clients, state, pos)?.request('description', {
      path,
      offset: pos,
    });
    if (!description || view.state.doc !== state.doc) return null;
    // The pointer has left during the request: the tooltip would cover what it is on now.
    if (isHovered && !view.contentDOM.matches(':hover')) return null;
    return {
      pos: description.from,
      end: description.to,
      above: true,
      create: () => ({ dom: renderDocumentation(view.state, description) }),
    };
  });
  return [hover, pointerTracking];
}

/** Views last touched by a finger. Browsers send mouse moves for taps too. */
const touchedViews = new WeakSet<EditorView>();

const pointerTracking = EditorView.domEventObservers({
  pointerdown: trackPointer,
  pointermove: trackPointer,
});

function trackPointer({ pointerType }: PointerEvent, view: EditorView): void {
  if (pointerType === 'touch') touchedViews.add(view);
  else touchedViews.delete(view);
}

/**
 * Shows the tooltip for the name at the cursor, until the cursor or text changes or Escape is
 * pressed.
 */
export function showHover(view: EditorView): boolean {
  const { head } = view.state.selection.main;
  // An explicit command applies also after a tap.
  touchedViews.delete(view);
  activateHover(view, head, 1, {
    until: ({ selection, docChanged }) => docChanged || selection !== undefined,
  });
  return true;
}
