import type { EditorView } from '@codemirror/view';
import { filePath, isScriptAt } from '../language-facets.ts';
import { showMessageAtCursor } from './choice-list.ts';
import { createElementWithText } from './render-documentation.ts';
import { findClientAt, type LanguageServiceOptions } from './language-clients.ts';
import { showFormPanel, type PanelForm } from './form-panel.ts';

/** Prompts for a new name and renames the symbol at the cursor throughout the project. */
export function renameSymbolAtCursor(view: EditorView, options: LanguageServiceOptions): boolean {
  const { head } = view.state.selection.main;
  if (view.state.readOnly || !findClientAt(options, view.state, head)) return false;
  void renameAt(view, head, options);
  return true;
}

async function renameAt(
  view: EditorView,
  offset: number,
  options: LanguageServiceOptions,
): Promise<void> {
  const { files, write } = options;
  const client = findClientAt(options, view.state, offset);
  const isScript = isScriptAt(view.state, offset);
  const path = view.state.facet(filePath);
  const { doc } = view.state;
  const target = await client?.request('renaming', { path, offset });
  if (target === undefined || view.state.doc !== doc) return;
  if (target === null) return showMessageAtCursor(view, 'This can’t be renamed.');
  const name = await promptForName(view, target.name);
  if (name === undefined || name === target.name) return;
  const error = validateName(name, isScript);
  if (error !== undefined) return showMessageAtCursor(view, error);
  const requestedFiles = files();
  const edits =
    view.state.doc === doc ? await client?.request('rename', { path, offset, name }) : undefined;
  if (files() !== requestedFiles || edits === undefined) {
    return showMessageAtCursor(view, 'The code has changed. Try again.');
  }
  if (edits.length === 0)
    return showMessageAtCursor(view, 'Can’t rename this because a package uses the same name.');
  write(edits);
}

function validateName(name: string, isScript: boolean): string | undefined {
  if (isScript)
    return /^#?[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name)
      ? undefined
      : 'Use letters, numbers, _, and $, and don’t start with a number.';
  return /^[$@%]?-{0,2}[\p{L}_][\p{L}\p{N}_.:-]*$/u.test(name)
    ? undefined
    : 'Use letters, numbers, -, and _, and don’t start with a number.';
}

/** Shows an input for a new name above the code. Resolves with undefined if it is dismissed. */
function promptForName(view: EditorView, currentName: string): Promise<string | undefined> {
  return showFormPanel<string>(view, (submit) => createRenameForm(currentName, submit));
}

function createRenameForm(currentName: string, submit: (name: string) => void): PanelForm {
  const form = document.createElement('form');
  const input = document.createElement('input');
  input.className = 'cm-textfield';
  input.value = currentName;
  input.spellcheck = false;
  input.autocapitalize = 'off';
  form.className = 'cm-rename';
  const label = document.createElement('label');
  label.append(createElementWithText('span', '', `Rename ${currentName} to `), input);
  form.append(label, createElementWithText('button', 'cm-button', 'Rename'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submit(input.value.trim());
  });
  return { form, initialFocus: input };
}
