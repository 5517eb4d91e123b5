import type { EditorView } from '@codemirror/view';
import { element } from './code-nodes.ts';
import { askInPanel, type AskedForm } from './form-panel.ts';

/** Shows an input for a new name above the code. Resolves with undefined if it is dismissed. */
export function askName(view: EditorView, currentName: string): Promise<string | undefined> {
  return askInPanel<string>(view, (submit) => createRenameForm(currentName, submit));
}

function createRenameForm(currentName: string, submit: (name: string) => void): AskedForm {
  const form = document.createElement('form');
  const input = document.createElement('input');
  input.className = 'cm-textfield';
  input.value = currentName;
  input.spellcheck = false;
  input.autocapitalize = 'off';
  const label = element('label', '', `Rename ${currentName} to `);
  label.append(input);
  form.append(label, element('button', 'cm-button', 'Rename'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submit(input.value.trim());
  });
  return { form, first: input };
}
