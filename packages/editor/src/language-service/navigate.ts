import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { Place, Reference } from '../typescript/messages.ts';
import { filePath } from '../understood.ts';
import { openChoices, saySentence } from './choice-list.ts';
import { findClient } from './find-client.ts';
import type { LanguageServiceOptions } from './language-service.ts';

/**
 * Goes to the definition of the name at the cursor. At the definition itself, lists its references.
 */
export function goToDefinition(view: EditorView, options: LanguageServiceOptions): boolean {
  const { head } = view.state.selection.main;
  if (!findClient(options, view.state, head)) return false;
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
  const found = await findClient(options, state, offset)?.ask('definitions', { path, offset });
  if (!found || view.state.facet(filePath) !== path) return;
  const [first, ...others] = found;
  const line = state.doc.lineAt(offset);
  const isHere = (location: Place) => location.path === path && location.line === line.number;
  if (!first) return saySentence(view, 'No definition found.');
  if (others.length === 0 && isHere(first)) return showReferences(view, offset, options);
  if (others.length === 0 || !others.some(isHere)) return options.goTo(first);
  openChoices(view, {
    title: 'Definitions',
    pos: offset,
    choices: found.map((location) => toChoice(location, options)),
  });
}

/** Lists the references to the name at the cursor. */
export function listReferences(view: EditorView, options: LanguageServiceOptions): boolean {
  const { head } = view.state.selection.main;
  if (!findClient(options, view.state, head)) return false;
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
  const found = await findClient(options, state, offset)?.ask('references', { path, offset });
  if (!found || view.state.doc !== state.doc) return;
  if (found.length === 0) return saySentence(view, 'No references found.');
  const title = found.length === 1 ? '1 reference' : `${found.length} references`;
  openChoices(view, {
    title,
    pos: offset,
    choices: found.map((location) => toChoice(location, options)),
  });
}

function toChoice(location: Place | Reference, { goTo }: LanguageServiceOptions) {
  return {
    label: `${location.path}:${location.line}`,
    ...('text' in location && { detail: location.text }),
    choose: () => goTo(location),
  };
}

/** Ctrl+click or Cmd+click goes to the definition. */
export function definitionClick(options: LanguageServiceOptions): Extension {
  return EditorView.domEventHandlers({
    mousedown(event, view) {
      const isMod = event.ctrlKey || event.metaKey;
      if (!isMod || event.button !== 0) return false;
      const pos = view.posAtCoords({ x: event.clientX, y: event.clientY });
      if (pos === null || !view.state.wordAt(pos) || !findClient(options, view.state, pos))
        return false;
      view.dispatch({ selection: { anchor: pos } });
      void goToDefinitionAt(view, pos, options);
      return true;
    },
  });
}
