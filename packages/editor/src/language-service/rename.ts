import type { EditorView } from '@codemirror/view';
import { filePath, isScript } from '../understood.ts';
import { saySentence } from './choice-list.ts';
import type { LanguageServiceOptions } from './language-service.ts';
import { askName } from './name-panel.ts';

/** Asks for another name for what stands at the cursor, and gives it that wherever it is named. */
export function rename(view: EditorView, options: LanguageServiceOptions): boolean {
  if (view.state.readOnly || !isScript(view.state.facet(filePath))) return false;
  void renameAt(view, view.state.selection.main.head, options);
  return true;
}

async function renameAt(
  view: EditorView,
  offset: number,
  options: LanguageServiceOptions,
): Promise<void> {
  const { client, files, write } = options;
  const path = view.state.facet(filePath);
  const { doc } = view.state;
  const found = await client.ask('renaming', { path, offset });
  if (found === undefined || view.state.doc !== doc) return;
  if (found === null) return saySentence(view, 'This cannot be renamed.');
  const name = await askName(view, found.name);
  if (name === undefined || name === found.name) return;
  if (!/^#?[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name)) {
    return saySentence(view, 'A name has letters, digits, _ and $, and no digit first.');
  }
  const asked = files();
  const edits =
    view.state.doc === doc ? await client.ask('rename', { path, offset, name }) : undefined;
  if (files() !== asked || edits === undefined) {
    return saySentence(view, 'The code has changed meanwhile. Rename again.');
  }
  if (edits.length === 0) return saySentence(view, 'A package uses this name too, so it stays.');
  write(edits);
}
