import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { CodeLocation, Reference } from '../typescript/messages.ts';
import { filePath } from '../language-facets.ts';
import { openChoiceList, showMessageAtCursor } from './choice-list.ts';
import { findClientAt, type LanguageServiceOptions } from './language-clients.ts';

/**
 * Goes to the definition of the name at the cursor. At the definition itself, lists its references.
 */
export function goToDefinition(view: EditorView, options: LanguageServiceOptions): boolean {
  const { head } = view.state.selection.main;
  if (!findClientAt(options, view.state, head)) return false;
  void goToDefinitionAt(view, head, options);
  return true;
}

async function goToDefinitionAt(
  view: EditorView,
  offset: number,
  options: LanguageServiceOptions,
): Promise<void> {
  const { state } = view;
  const path = state.facet(filePath);
  const found = await findClientAt(options, state, offset)?.request('definitions', {
    path,
    offset,
  });
  if (!found || view.state.facet(filePath) !== path) return;
  const [first, ...others] = found;
  const line = state.doc.lineAt(offset);
  const isHere = (location: CodeLocation) =>
    location.path === path && location.line === line.number;
  if (!first) return showMessageAtCursor(view, 'No definition found.');
  if (others.length === 0 && isHere(first)) return showReferences(view, offset, options);
  if (others.length === 0 || !others.some(isHere)) return options.goTo(first);
  openChoiceList(view, {
    title: 'Definitions',
    position: offset,
    choices: found.map((location) => toChoice(location, options)),
  });
}

/** Lists the references to the name at the cursor. */
export function listReferences(view: EditorView, options: LanguageServiceOptions): boolean {
  const { head } = view.state.selection.main;
  if (!findClientAt(options, view.state, head)) return false;
  void showReferences(view, head, options);
  return true;
}

async function showReferences(
  view: EditorView,
  offset: number,
  options: LanguageServiceOptions,
): Promise<void> {
  const { state } = view;
  const path = state.facet(filePath);
  const found = await findClientAt(options, state, offset)?.request('references', { path, offset });
  if (!found || view.state.doc !== state.doc) return;
  if (found.length === 0) return showMessageAtCursor(view, 'No references found.');
  const title = found.length === 1 ? '1 reference' : `${found.length} references`;
  openChoiceList(view, {
    title,
    position: offset,
    choices: found.map((location) => toChoice(location, options)),
  });
}

function toChoice(location: CodeLocation | Reference, { goTo }: LanguageServiceOptions) {
  return {
    label: `${location.path}:${location.line}`,
    ...('text' in location && { detail: location.text }),
    choose: () => goTo(location),
  };
}

/** Ctrl+click or Cmd+click goes to the definition. */
export function goToDefinitionOnClick(options: LanguageServiceOptions): Extension {
  return EditorView.domEventHandlers({
    mousedown(event, view) {
      const isMod = event.ctrlKey || event.metaKey;
      if (!isMod || event.button !== 0) return false;
      const pos = view.posAtCoords({ x: event.clientX, y: event.clientY });
      if (pos === null || !view.state.wordAt(pos) || !findClientAt(options, view.state, pos))
        return false;
      view.dispatch({ selection: { anchor: pos } });
      void goToDefinitionAt(view, pos, options);
      return true;
    },
  });
}
